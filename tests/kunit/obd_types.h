/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites of the types start from: devices by type, with the arguments
 * of their setup, and small helpers. The modules of the types are loaded before
 * the first case, and the node has had a target, so that a case sees only memory of
 * its own.
 */
#ifndef _KUNIT_OBD_TYPES_H
#define _KUNIT_OBD_TYPES_H

#include <linux/kmod.h>

#include "obd_fixture.h"

#define TY_GROUP	"group_UUID"
#define TY_MIB		(1ULL << 20)

static const char * const ty_types[] = {
	"obdecho", "echo_client", "osc", "mdc", "lov", "lmv",
};

/* The memory that a node allocates with its first target is allocated here. */
static inline int ty_first_target(void)
{
	struct obd_device *obd = class_attach("obdecho", "first", "first_UUID",
					      0, NULL);
	struct lcfg_view cfg;
	int rc;

	if (IS_ERR(obd))
		return PTR_ERR(obd);
	lcfg_init(&cfg, LCFG_SETUP, obd->obd_name);
	rc = class_setup(obd, &cfg, NULL);
	class_manual_cleanup(obd, true, NULL);
	class_decref(obd, OBD_REF_LOOKUP);
	obd_zombie_barrier();
	rcu_barrier();
	return rc;
}

static inline int ty_suite_init(struct kunit_suite *suite)
{
	struct obd_type *type;
	size_t n;
	int rc;

	for (n = 0; n < ARRAY_SIZE(ty_types); n++) {
		type = class_get_type(ty_types[n]);
		if (!type)
			return -ENODEV;
		class_put_type(type);
	}
	rc = ty_first_target();
	return rc ?: client_suite_init(suite);
}

static inline struct obd_device *ty_attach_in(struct kunit *test,
					      const char *type,
					      const char *name,
					      const char *uuid, u64 instance)
{
	struct obd_device *obd = class_attach(type, name, uuid, instance, NULL);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR_OR_NULL(obd), "%s", name);
	return obd;
}

static inline struct obd_device *ty_attach(struct kunit *test, const char *type,
					   const char *name, const char *uuid)
{
	return ty_attach_in(test, type, name, uuid, 0);
}

/* Set up with up to two arguments. */
static inline int ty_setup(struct obd_device *obd, const char *first,
			   const char *second, struct obd_why *why)
{
	struct lcfg_view cfg;

	lcfg_init(&cfg, LCFG_SETUP, obd->obd_name);
	if (first)
		lcfg_add_string(&cfg, first);
	if (second)
		lcfg_add_string(&cfg, second);
	return class_setup(obd, &cfg, why);
}

static inline struct obd_device *ty_start(struct kunit *test, const char *type,
					  const char *name, const char *uuid,
					  const char *first, const char *second)
{
	struct obd_device *obd = ty_attach(test, type, name, uuid);
	struct obd_why why = { "" };

	KUNIT_ASSERT_EQ_MSG(test, 0, ty_setup(obd, first, second, &why), "%s",
			    why.text);
	return obd;
}

static inline int ty_setup_desc(struct obd_device *obd,
				const struct lov_desc *desc,
				struct obd_why *why)
{
	struct lcfg_view cfg;

	lcfg_init(&cfg, LCFG_SETUP, obd->obd_name);
	lcfg_add_buf(&cfg, desc, sizeof(*desc));
	return class_setup(obd, &cfg, why);
}

static inline struct lov_desc ty_desc(void)
{
	return (struct lov_desc) {
		.ld_magic = cpu_to_le32(LOV_DESC_MAGIC),
		.ld_default_stripe_count = cpu_to_le32(1),
		.ld_pattern = cpu_to_le32(1),
		.ld_default_stripe_size = cpu_to_le64(TY_MIB),
		.ld_default_stripe_offset = cpu_to_le64(-1),
		.ld_qos_maxage = cpu_to_le32(5),
		.ld_uuid = "volume_UUID",
	};
}

/* A lov or lmv of an instance. */
static inline struct obd_device *ty_volume(struct kunit *test, const char *type,
					   const char *name, u64 instance)
{
	struct obd_device *obd = ty_attach_in(test, type, name, TY_GROUP,
					      instance);
	struct lov_desc desc = ty_desc();
	struct obd_why why = { "" };

	KUNIT_ASSERT_EQ_MSG(test, 0, ty_setup_desc(obd, &desc, &why), "%s",
			    why.text);
	return obd;
}

/* A command with up to three arguments, to the device's type. */
static inline int ty_command(struct obd_device *obd, u32 command,
			     const char *first, const char *second,
			     const char *third, struct obd_why *why)
{
	struct lcfg_view cfg;

	lcfg_init(&cfg, command, obd->obd_name);
	lcfg_add_string(&cfg, first);
	if (second)
		lcfg_add_string(&cfg, second);
	if (third)
		lcfg_add_string(&cfg, third);
	if (why)
		why->text[0] = '\0';
	return obd_process_config(obd, &cfg, why);
}

/* A target of a lov. */
static inline int ty_add(struct obd_device *obd, const char *uuid,
			 const char *index, struct obd_why *why)
{
	return ty_command(obd, LCFG_LOV_ADD_OBD, uuid, index, "1", why);
}

static inline struct obd_export *ty_connect(struct kunit *test,
					    struct obd_device *obd,
					    const char *uuid)
{
	struct obd_uuid who = kt_uuid(uuid);
	struct obd_connect_data ocd = {
		.ocd_connect_flags = OBD_CONNECT_VERSION,
	};
	struct obd_export *exp = NULL;

	KUNIT_ASSERT_EQ(test, 0, kt_connect_target(&exp, obd, &who, &ocd));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, exp);
	return exp;
}

/* Line @n of the last text that was read. */
static inline bool ty_line_is(unsigned int n, const char *text)
{
	struct params_value_rec *rec = client_rec(fx.client, n);

	return rec && rec->vr_type == PARAMS_V_STRING &&
	       rec->vr_len == strlen(text) &&
	       !memcmp(client_rec_value(rec), text, strlen(text));
}

#define TY_EXPECT_TEXT(test, path, text)				\
do {									\
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, path));	\
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, text));	\
} while (0)

#define TY_EXPECT_NUMBER(test, path, number)				\
do {									\
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, path));	\
	KUNIT_EXPECT_EQ(test, (u64)(number), client_number(fx.client));	\
} while (0)

#define TY_EXPECT_LINES(test, path, count)				\
do {									\
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, path));	\
	KUNIT_EXPECT_EQ(test, (unsigned int)(count),			\
			client_rec_count(fx.client));			\
} while (0)

#endif /* _KUNIT_OBD_TYPES_H */
