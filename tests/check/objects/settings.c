/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What the user can set: defaults, ranges, each property, copies. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "element/properties.h"

/* The properties need an object class to stand on. */
typedef struct
{
  GObject parent;
  RtspSinkSettings settings;
} Holder;

typedef GObjectClass HolderClass;

static GType holder_get_type (void);
G_DEFINE_TYPE (Holder, holder, G_TYPE_OBJECT);

static void
holder_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  rtsp_sink_properties_set (&((Holder *) object)->settings, id, value);
}

static void
holder_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  rtsp_sink_properties_get (&((Holder *) object)->settings, id, value);
}

static void
holder_finalize (GObject * object)
{
  rtsp_sink_settings_clear (&((Holder *) object)->settings);
  G_OBJECT_CLASS (holder_parent_class)->finalize (object);
}

static void
holder_class_init (HolderClass * klass)
{
  klass->set_property = holder_set_property;
  klass->get_property = holder_get_property;
  klass->finalize = holder_finalize;
  rtsp_sink_properties_install (klass);
}

static void
holder_init (Holder * self)
{
  rtsp_sink_settings_init (&self->settings);
}

static Holder *holder;
static GParamSpec **specs;
static guint n_specs;

/* Only those that can be set. */
static void
setup (void)
{
  guint n;

  holder = g_object_new (holder_get_type (), NULL);
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (holder), &n);
  n_specs = 0;
  for (guint i = 0; i < n; i++) {
    if (specs[i]->flags & G_PARAM_WRITABLE)
      specs[n_specs++] = specs[i];
  }
}

static void
teardown (void)
{
  g_clear_object (&holder);
  g_clear_pointer (&specs, g_free);
}

GST_START_TEST (test_settings_defaults_serve_anybody_at_8554_test)
{
  const RtspSinkSettings *s = &holder->settings;

  fail_unless_equals_string (s->address, "0.0.0.0");
  fail_unless_equals_int (s->port, 8554);
  fail_unless_equals_string (s->mount, "/test");
  fail_unless_equals_int (s->codec, GST_RTSP_SERVER_SINK_CODEC_AUTO);
  fail_unless_equals_int (s->bitrate, 0);
  fail_unless_equals_int (s->key_unit_interval, 2000);
  fail_unless (s->encoder == NULL);
  fail_unless_equals_int (s->sync, GST_RTSP_SERVER_SINK_SYNC_AUTO);
  fail_unless_equals_int (s->timestamp_mode,
      GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO);
}

GST_END_TEST;

GST_START_TEST (test_settings_defaults_let_any_number_watch_by_unicast)
{
  const RtspSinkSettings *s = &holder->settings;

  fail_unless_equals_int (s->shared, GST_RTSP_SERVER_SINK_SHARED_AUTO);
  fail_unless_equals_int (s->max_viewers, 0);
  fail_unless_equals_int (s->viewer_max_delay, 1000);
  fail_unless_equals_int (s->viewer_stall_timeout, 10000);
  fail_unless_equals_int (s->session_timeout, 60);
  fail_unless_equals_int (s->protocols,
      GST_RTSP_LOWER_TRANS_UDP | GST_RTSP_LOWER_TRANS_TCP);
  fail_unless_equals_int (s->profiles, GST_RTSP_PROFILE_AVP);
  fail_unless_equals_string (s->multicast_address_range, "239.255.42.42");
  fail_unless_equals_string (s->multicast_port_range, "5000-5009");
  fail_unless_equals_int (s->multicast_ttl, 1);
  fail_unless (s->multicast_iface == NULL);
}

GST_END_TEST;

/* What gst-inspect shows is what is used. */
GST_START_TEST (test_settings_defaults_are_those_of_the_properties)
{
  for (guint i = 0; i < n_specs; i++) {
    g_auto (GValue) value = G_VALUE_INIT;

    g_object_get_property (G_OBJECT (holder), specs[i]->name, &value);
    fail_unless (g_param_value_defaults (specs[i], &value), "%s",
        specs[i]->name);
  }
}

GST_END_TEST;

GST_START_TEST (test_settings_each_property_is_kept)
{
  g_autofree gchar *address = NULL, *mount = NULL, *encoder = NULL;
  guint port, bitrate, interval;
  gint codec, sync, mode;

  g_object_set (holder, "address", "::1", "port", 0, "mount", "/cam",
      "codec", GST_RTSP_SERVER_SINK_CODEC_RAW, "bitrate", 1234567,
      "key-unit-interval", 500, "encoder", "x264enc", "sync",
      GST_RTSP_SERVER_SINK_SYNC_FALSE, "timestamp-mode",
      GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL, NULL);
  g_object_get (holder, "address", &address, "port", &port, "mount", &mount,
      "codec", &codec, "bitrate", &bitrate, "key-unit-interval", &interval,
      "encoder", &encoder, "sync", &sync, "timestamp-mode", &mode, NULL);

  fail_unless_equals_string (address, "::1");
  fail_unless_equals_int (port, 0);
  fail_unless_equals_string (mount, "/cam");
  fail_unless_equals_int (codec, GST_RTSP_SERVER_SINK_CODEC_RAW);
  fail_unless_equals_int (bitrate, 1234567);
  fail_unless_equals_int (interval, 500);
  fail_unless_equals_string (encoder, "x264enc");
  fail_unless_equals_int (sync, GST_RTSP_SERVER_SINK_SYNC_FALSE);
  fail_unless_equals_int (mode, GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL);
}

GST_END_TEST;

GST_START_TEST (test_settings_each_property_of_viewers_is_kept)
{
  gint shared;
  guint viewers, delay, stall, session;

  g_object_set (holder, "shared", GST_RTSP_SERVER_SINK_SHARED_TRUE,
      "max-viewers", 300, "viewer-max-delay", 250, "viewer-stall-timeout",
      3000, "session-timeout", 30, NULL);
  g_object_get (holder, "shared", &shared, "max-viewers", &viewers,
      "viewer-max-delay", &delay, "viewer-stall-timeout", &stall,
      "session-timeout", &session, NULL);

  fail_unless_equals_int (shared, GST_RTSP_SERVER_SINK_SHARED_TRUE);
  fail_unless_equals_int (viewers, 300);
  fail_unless_equals_int (delay, 250);
  fail_unless_equals_int (stall, 3000);
  fail_unless_equals_int (session, 30);
}

GST_END_TEST;

GST_START_TEST (test_settings_each_property_of_transports_is_kept)
{
  g_autofree gchar *addresses = NULL, *ports = NULL, *iface = NULL;
  guint protocols, profiles, ttl;

  g_object_set (holder, "protocols", GST_RTSP_LOWER_TRANS_UDP_MCAST,
      "profiles", GST_RTSP_PROFILE_AVPF, "multicast-address-range",
      "239.1.2.3-239.1.2.9", "multicast-port-range", "6000-6001",
      "multicast-ttl", 16, "multicast-iface", "lo", NULL);
  g_object_get (holder, "protocols", &protocols, "profiles", &profiles,
      "multicast-address-range", &addresses, "multicast-port-range", &ports,
      "multicast-ttl", &ttl, "multicast-iface", &iface, NULL);

  fail_unless_equals_int (protocols, GST_RTSP_LOWER_TRANS_UDP_MCAST);
  fail_unless_equals_int (profiles, GST_RTSP_PROFILE_AVPF);
  fail_unless_equals_string (addresses, "239.1.2.3-239.1.2.9");
  fail_unless_equals_string (ports, "6000-6001");
  fail_unless_equals_int (ttl, 16);
  fail_unless_equals_string (iface, "lo");
}

GST_END_TEST;

/* So does gst-launch: the words are the library's. */
GST_START_TEST (test_settings_transports_are_set_by_words)
{
  gst_util_set_object_arg (G_OBJECT (holder), "protocols", "udp-mcast+tcp");
  fail_unless_equals_int (holder->settings.protocols,
      GST_RTSP_LOWER_TRANS_UDP_MCAST | GST_RTSP_LOWER_TRANS_TCP);
  gst_util_set_object_arg (G_OBJECT (holder), "profiles", "avpf");
  fail_unless_equals_int (holder->settings.profiles, GST_RTSP_PROFILE_AVPF);
}

GST_END_TEST;

/* Beyond is refused by GObject, with a warning, before it comes here. */
GST_START_TEST (test_settings_numbers_have_their_ranges)
{
  static const struct
  {
    const gchar *property;
    guint min, max;
  } ranges[] = {
    {"port", 0, 65535},
    {"bitrate", 0, G_MAXINT},
    {"key-unit-interval", 1, 3600000},
    {"max-viewers", 0, G_MAXUINT},
    {"viewer-max-delay", 50, 60000},
    {"viewer-stall-timeout", 100, 3600000},
    {"session-timeout", 1, 86400},
    {"multicast-ttl", 1, 255},
  };
  guint n_uints = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++) {
    GParamSpecUInt *spec = G_PARAM_SPEC_UINT (g_object_class_find_property
        (G_OBJECT_GET_CLASS (holder), ranges[i].property));

    fail_unless (spec->minimum == ranges[i].min, "%s", ranges[i].property);
    fail_unless (spec->maximum == ranges[i].max, "%s", ranges[i].property);
  }
  for (guint i = 0; i < n_specs; i++)
    n_uints += G_IS_PARAM_SPEC_UINT (specs[i]);
  fail_unless_equals_int (n_uints, G_N_ELEMENTS (ranges));
}

GST_END_TEST;

/* The same each time: boxed values are compared by their address. */
static GstStaticCaps other_caps = GST_STATIC_CAPS ("video/x-raw, width = 64");

/* Another value than the default. */
static void
make_other_value (GParamSpec * spec, GValue * value)
{
  g_value_init (value, spec->value_type);
  if (G_IS_PARAM_SPEC_STRING (spec))
    g_value_set_string (value, "changed");
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (value, G_PARAM_SPEC_UINT (spec)->minimum + 7);
  else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    g_value_set_boolean (value, !G_PARAM_SPEC_BOOLEAN (spec)->default_value);
  else if (G_IS_PARAM_SPEC_BOXED (spec))
    g_value_take_boxed (value, gst_static_caps_get (&other_caps));
  else if (G_IS_PARAM_SPEC_FLAGS (spec))
    g_value_set_flags (value, GST_RTSP_LOWER_TRANS_UDP_MCAST);
  else
    g_value_set_enum (value, 1);
}

/* A property writes no field but its own. */
GST_START_TEST (test_settings_one_property_leaves_the_others)
{
  for (guint i = 0; i < n_specs; i++) {
    g_autoptr (GObject) other = g_object_new (holder_get_type (), NULL);
    g_auto (GValue) set = G_VALUE_INIT;

    make_other_value (specs[i], &set);
    g_object_set_property (other, specs[i]->name, &set);

    for (guint j = 0; j < n_specs; j++) {
      g_auto (GValue) value = G_VALUE_INIT;

      g_object_get_property (other, specs[j]->name, &value);
      fail_unless (g_param_value_defaults (specs[j], &value) == (i != j),
          "%s changed %s", specs[i]->name, specs[j]->name);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_settings_strings_can_be_null)
{
  for (guint i = 0; i < n_specs; i++) {
    g_autofree gchar *got = NULL;

    if (!G_IS_PARAM_SPEC_STRING (specs[i]))
      continue;
    g_object_set (holder, specs[i]->name, "x", NULL);
    g_object_set (holder, specs[i]->name, NULL, NULL);
    g_object_get (holder, specs[i]->name, &got, NULL);
    fail_unless (got == NULL, "%s", specs[i]->name);
  }
  fail_unless (holder->settings.address == NULL);
  fail_unless (holder->settings.multicast_iface == NULL);
}

GST_END_TEST;

GST_START_TEST (test_settings_copy_is_independent)
{
  RtspSinkSettings copy;

  g_object_set (holder, "mount", "/one", "port", 1, NULL);
  rtsp_sink_settings_copy (&copy, &holder->settings);
  g_object_set (holder, "mount", "/two", "port", 2, NULL);

  fail_unless_equals_string (copy.mount, "/one");
  fail_unless_equals_int (copy.port, 1);
  rtsp_sink_settings_clear (&copy);
  fail_unless (copy.mount == NULL && copy.address == NULL);
  /* harmless */
  rtsp_sink_settings_clear (&copy);
}

GST_END_TEST;

/* Whatever kind of field: none is forgotten, none is shared. */
GST_START_TEST (test_settings_copy_has_every_field)
{
  g_autoptr (GObject) other = g_object_new (holder_get_type (), NULL);
  RtspSinkSettings *copy = &((Holder *) other)->settings;

  for (guint i = 0; i < n_specs; i++) {
    g_auto (GValue) set = G_VALUE_INIT;

    make_other_value (specs[i], &set);
    g_object_set_property (G_OBJECT (holder), specs[i]->name, &set);
  }
  rtsp_sink_settings_clear (copy);
  rtsp_sink_settings_copy (copy, &holder->settings);
  g_clear_object (&holder);

  for (guint i = 0; i < n_specs; i++) {
    g_auto (GValue) set = G_VALUE_INIT;
    g_auto (GValue) got = G_VALUE_INIT;

    make_other_value (specs[i], &set);
    g_object_get_property (other, specs[i]->name, &got);
    fail_unless (g_param_values_cmp (specs[i], &set, &got) == 0, "%s",
        specs[i]->name);
  }
}

GST_END_TEST;

/* gst-launch and gst-inspect know the values by these names. */
GST_START_TEST (test_settings_enum_values_have_their_nicks)
{
  static const struct
  {
    const gchar *property;
    const gchar *nicks[9];
  } enums[] = {
    {"codec", {"auto", "h264", "h265", "vp8", "vp9", "av1", "jpeg", "raw",
            NULL}},
    {"sync", {"auto", "true", "false", NULL}},
    {"timestamp-mode", {"auto", "pts", "arrival", NULL}},
    {"shared", {"auto", "true", "false", NULL}},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (enums); i++) {
    for (gsize j = 0; enums[i].nicks[j] != NULL; j++) {
      gint value;

      gst_util_set_object_arg (G_OBJECT (holder), enums[i].property,
          enums[i].nicks[j]);
      g_object_get (holder, enums[i].property, &value, NULL);
      fail_unless_equals_int (value, j);
    }
  }
}

GST_END_TEST;

static Suite *
settings_suite (void)
{
  Suite *suite = suite_create ("settings");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_settings_defaults_serve_anybody_at_8554_test);
  tcase_add_test (chain,
      test_settings_defaults_let_any_number_watch_by_unicast);
  tcase_add_test (chain, test_settings_defaults_are_those_of_the_properties);
  tcase_add_test (chain, test_settings_each_property_is_kept);
  tcase_add_test (chain, test_settings_each_property_of_viewers_is_kept);
  tcase_add_test (chain, test_settings_each_property_of_transports_is_kept);
  tcase_add_test (chain, test_settings_transports_are_set_by_words);
  tcase_add_test (chain, test_settings_numbers_have_their_ranges);
  tcase_add_test (chain, test_settings_one_property_leaves_the_others);
  tcase_add_test (chain, test_settings_strings_can_be_null);
  tcase_add_test (chain, test_settings_copy_is_independent);
  tcase_add_test (chain, test_settings_copy_has_every_field);
  tcase_add_test (chain, test_settings_enum_values_have_their_nicks);

  return suite;
}

CHECK_SUITE (settings);
