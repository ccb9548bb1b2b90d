/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites of configuration start from: obd_fixture.h, and a type
 * "kunit_cfg" that has parameters and writes down what it is told.
 */
#ifndef _KUNIT_OBD_CONFIG_FIXTURE_H
#define _KUNIT_OBD_CONFIG_FIXTURE_H

#include "obd_fixture.h"

#define KC_NAME		"kunit_cfg"

/* The last call of each operation of the type. */
static struct {
	u32		limit;
	int		setup_rc;
	int		process_rc;
	unsigned int	processed;
	u32		command;
	char		device[MAX_OBD_NAME];
	char		conn[UUID_MAX];
	bool		priority;
	bool		registered;
} kc;

static inline int kc_setup(struct obd_device *obd, const struct lcfg_view *cfg,
			   struct obd_why *why)
{
	if (kc.setup_rc)
		return obd_refuse(why, kc.setup_rc, "told to fail");
	return 0;
}

static inline int kc_cleanup(struct obd_device *obd)
{
	return 0;
}

static inline int kc_process(struct obd_device *obd,
			     const struct lcfg_view *cfg, struct obd_why *why)
{
	kc.processed++;
	kc.command = cfg->command;
	strscpy(kc.device, obd->obd_name, sizeof(kc.device));
	return kc.process_rc;
}

static inline int kc_add_conn(struct obd_device *obd,
			      const struct obd_uuid *uuid, bool priority,
			      struct obd_why *why)
{
	strscpy(kc.conn, uuid->uuid, sizeof(kc.conn));
	kc.priority = priority;
	return 0;
}

static inline int kc_limit_get(void *data, u64 *val)
{
	*val = kc.limit;
	return 0;
}

static inline int kc_limit_set(void *data, u64 val)
{
	kc.limit = val;
	return 0;
}

static const struct lustre_params_attr kc_attrs[] = {
	LP_U32_RW("limit", kc_limit_get, kc_limit_set, .min = 1, .max = 100),
};

static const struct obd_ops kc_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = kc_setup,
	.o_cleanup = kc_cleanup,
	.o_process_config = kc_process,
	.o_add_conn = kc_add_conn,
};

static struct obd_type kc_type = {
	.typ_name = KC_NAME,
	.typ_dt_ops = &kc_ops,
	.typ_attrs = kc_attrs,
	.typ_attr_count = ARRAY_SIZE(kc_attrs),
};

static inline int config_fixture_init(struct kunit *test)
{
	int rc = obd_fixture_init(test);

	if (rc)
		return rc;
	memset(&kc, 0, sizeof(kc));
	kc.limit = 8;
	rc = class_register_type(&kc_type);
	kc.registered = !rc;
	return rc;
}

static inline void config_fixture_exit(struct kunit *test)
{
	class_del_profiles(0);
	if (kc.registered)
		kt_unregister(test, &kc_type);
	obd_fixture_exit(test);
}

/* A command of texts, up to NULL. */
static inline void kc_command(struct lcfg_view *cfg, u32 command,
			      const char *device, const char *const *args)
{
	lcfg_init(cfg, command, device);
	for (; args && *args; args++)
		lcfg_add_string(cfg, *args);
}

#define KC_ARGS(...)	((const char *const []){ __VA_ARGS__, NULL })

/* Apply a command that is for the node, or for a device that it names. */
static inline int kc_do(u32 command, const char *device,
			const char *const *args, struct obd_why *why)
{
	struct lcfg_view cfg;

	kc_command(&cfg, command, device, args);
	return class_process_config(&cfg, 0, NULL, why);
}

static inline struct obd_device *kc_start(struct kunit *test, const char *name)
{
	struct obd_device *obd;

	KUNIT_ASSERT_EQ(test, kc_do(LCFG_ATTACH, name,
				    KC_ARGS(KC_NAME, "kc_UUID"), NULL), 0);
	KUNIT_ASSERT_EQ(test, kc_do(LCFG_SETUP, name, NULL, NULL), 0);
	obd = class_name2obd(name);
	KUNIT_ASSERT_NOT_NULL(test, obd);
	return obd;
}

static inline void kc_expect_says(struct kunit *test,
				  const struct obd_why *why, const char *words)
{
	KUNIT_EXPECT_TRUE_MSG(test, strstr(why->text, words),
			      "'%s' does not say '%s'", why->text, words);
}

#endif /* _KUNIT_OBD_CONFIG_FIXTURE_H */
