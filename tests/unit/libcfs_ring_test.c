// SPDX-License-Identifier: GPL-2.0-only
/* A ring of debug records, compared with a list of the same records. */
#include "shim_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "libcfs/debug_ring.h"

#define RING_SIZE	1024
#define REC_MAX		(sizeof(struct libcfs_debug_rec) + 256)
#define RECORDS		50000

struct ring_case {
	struct debug_ring	ring;
	union {
		struct libcfs_debug_rec	rec;
		char			room[REC_MAX];
	};
};

static int setup(void **state)
{
	struct ring_case *rc = calloc(1, sizeof(*rc));

	debug_ring_init(&rc->ring, malloc(RING_SIZE), RING_SIZE);
	*state = rc;
	return 0;
}

static int teardown(void **state)
{
	struct ring_case *rc = *state;

	free(rc->ring.ring_buf);
	free(rc);
	return 0;
}

/* Length and contents of a record follow from its number. */
static void make_record(struct ring_case *rc, u64 seq)
{
	u32 data = (seq * 2654435761U >> 7) % 32 * 8;

	memset(&rc->rec, 0, sizeof(rc->rec));
	rc->rec.dr_len = sizeof(rc->rec) + data;
	rc->rec.dr_seq = seq;
	memset(rc->rec.dr_data, (int)seq, data);
}

static void check_record(const struct debug_ring *ring, struct debug_pos pos,
			 const struct libcfs_debug_rec *head)
{
	struct ring_case want;
	char room[REC_MAX];

	make_record(&want, head->dr_seq);
	assert_int_equal(head->dr_len, want.rec.dr_len);
	debug_ring_copy(ring, pos, room, head->dr_len);
	assert_memory_equal(room, want.room, head->dr_len);
}

/* Numbers of the oldest and the newest record, which lie without a gap. */
static void walk(const struct debug_ring *ring, u64 *oldest, u64 *newest)
{
	struct libcfs_debug_rec head;
	struct debug_pos pos = {};
	u64 bytes = 0;

	*oldest = 0;
	*newest = 0;
	while (debug_ring_peek(ring, &pos, &head)) {
		if (!*oldest)
			*oldest = head.dr_seq;
		else
			assert_int_equal(head.dr_seq, *newest + 1);
		*newest = head.dr_seq;
		check_record(ring, pos, &head);
		debug_ring_next(ring, &pos, head.dr_len);
		bytes += head.dr_len;
	}
	assert_true(bytes <= ring->ring_size);
	assert_int_equal(pos.p_byte, ring->ring_head.p_byte);
}

static void an_empty_ring_has_no_record(void **state)
{
	struct ring_case *rc = *state;
	struct libcfs_debug_rec head;
	struct debug_pos pos = {};

	assert_false(debug_ring_peek(&rc->ring, &pos, &head));
}

static void a_ring_keeps_the_newest_that_fit(void **state)
{
	struct ring_case *rc = *state;
	u64 oldest, newest;

	for (u64 seq = 1; seq <= RECORDS; seq++) {
		make_record(rc, seq);
		assert_true(debug_ring_append(&rc->ring, &rc->rec));
		if (seq % 97 && seq > 100)
			continue;
		walk(&rc->ring, &oldest, &newest);
		assert_int_equal(newest, seq);
		if (oldest > 1) {
			/* Not one more would have had room. */
			make_record(rc, oldest - 1);
			assert_true(rc->ring.ring_head.p_byte - rc->ring.ring_tail.p_byte +
				    rc->rec.dr_len > RING_SIZE);
		}
	}
}

static void what_never_fits_is_refused(void **state)
{
	struct ring_case *rc = *state;
	struct debug_ring none;

	make_record(rc, 1);
	rc->rec.dr_len = RING_SIZE + 8;
	assert_false(debug_ring_append(&rc->ring, &rc->rec));
	make_record(rc, 1);
	debug_ring_init(&none, NULL, 0);
	assert_false(debug_ring_append(&none, &rc->rec));
}

/* A reader that is too slow continues at the oldest record. */
static void a_place_that_is_overwritten_moves(void **state)
{
	struct ring_case *rc = *state;
	struct libcfs_debug_rec head;
	struct debug_pos pos = {};
	u64 read = 0, seq = 0, lost = 0;

	srandom(3);
	while (seq < RECORDS) {
		for (int n = random() % 12; n >= 0; n--) {
			make_record(rc, ++seq);
			debug_ring_append(&rc->ring, &rc->rec);
		}
		for (int n = random() % 8; n >= 0; n--) {
			if (!debug_ring_peek(&rc->ring, &pos, &head))
				break;
			assert_true(head.dr_seq > read);
			lost += head.dr_seq - read - 1;
			read = head.dr_seq;
			check_record(&rc->ring, pos, &head);
			debug_ring_next(&rc->ring, &pos, head.dr_len);
		}
	}
	assert_true(lost > 0);
	assert_true(lost < RECORDS);
}

/* The records move to another ring; a place in the old one is as overwritten. */
static void a_ring_follows_another(void **state)
{
	struct ring_case *rc = *state;
	static char buf[8 * RING_SIZE];
	struct libcfs_debug_rec head;
	struct debug_pos start, pos = {};
	struct debug_ring next;

	for (u64 seq = 1; seq <= 100; seq++) {
		make_record(rc, seq);
		debug_ring_append(&rc->ring, &rc->rec);
	}
	while (debug_ring_peek(&rc->ring, &pos, &head))
		debug_ring_next(&rc->ring, &pos, head.dr_len);
	debug_ring_init(&next, buf, sizeof(buf));
	for (u64 seq = 99; seq <= 102; seq++) {
		make_record(rc, seq);
		debug_ring_append(&next, &rc->rec);
		if (seq == 100)
			debug_ring_follow(&next, &rc->ring);
	}
	start = (struct debug_pos) {};
	assert_true(debug_ring_peek(&next, &start, &head));
	assert_int_equal(head.dr_seq, 99);
	/* From the end of the old ring, too: the reader skips records that it has. */
	assert_true(debug_ring_peek(&next, &pos, &head));
	assert_int_equal(head.dr_seq, 99);
	assert_int_equal(pos.p_byte, start.p_byte);
	assert_int_equal(pos.p_off, start.p_off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_empty_ring_has_no_record, setup, teardown),
		cmocka_unit_test_setup_teardown(a_ring_keeps_the_newest_that_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(what_never_fits_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_place_that_is_overwritten_moves, setup, teardown),
		cmocka_unit_test_setup_teardown(a_ring_follows_another, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
