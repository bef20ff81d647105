/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* GstCheck helpers around rtspserversink; see sinktest.h. */

#include "sinktest.h"

#include <stdio.h>
#include <unistd.h>

#include "element/gstrtspserversink.h"

#define FACTORY "rtspserversink"
#define STOP_LIMIT G_USEC_PER_SEC
#define POLL_INTERVAL (5 * 1000)

struct _SinkTest
{
  GstElement *pipeline;
  GstBus *bus;
  GQueue kept;                  /* GstMessage taken from the bus, not yet asked for */
  GHashTable *elements;         /* name -> GstElement, so that callers borrow */
  GstElement *sink;             /* the first rtspserversink */
  gchar *uri;
};

void
sink_test_init (void)
{
  static gsize once = 0;

  if (!g_once_init_enter (&once))
    return;
  /* before the first test Check cannot take a failure */
  if (!GST_ELEMENT_REGISTER (rtspserversink, NULL) || !code_src_register ())
    g_error ("the elements cannot be registered");
  g_once_init_leave (&once, 1);
}

gint
sink_test_finish (gint n_failed)
{
  if (n_failed > 0) {
    fflush (NULL);
    _exit (n_failed);
  }
  return n_failed;
}

gdouble
sink_test_time_factor (void)
{
  const gchar *factor = g_getenv ("CK_TIMEOUT_MULTIPLIER");

  return factor != NULL ? MAX (g_ascii_strtod (factor, NULL), 1.0) : 1.0;
}

gboolean
sink_test_is_long (void)
{
  return g_getenv ("LONG_TESTS") != NULL;
}

/* --- the pipeline --- */

static gboolean
is_default (GstElement * element, const gchar * property)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (element), property);
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, pspec->value_type);
  g_object_get_property (G_OBJECT (element), property, &value);
  return g_param_value_defaults (pspec, &value);
}

static gboolean
is_sink (GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), FACTORY);
}

static void
adopt_sink (const GValue * item, gpointer user_data)
{
  SinkTest *test = user_data;
  GstElement *element = g_value_get_object (item);

  if (!is_sink (element))
    return;
  if (is_default (element, "address"))
    g_object_set (element, "address", "127.0.0.1", NULL);
  if (is_default (element, "port"))
    g_object_set (element, "port", 0, NULL);
  /* elements are iterated newest first; the line's first one counts */
  g_set_object (&test->sink, element);
}

SinkTest *
sink_test_new (const gchar * launch)
{
  SinkTest *test = g_new0 (SinkTest, 1);
  g_autoptr (GstIterator) iterator = NULL;
  GError *error = NULL;

  test->pipeline = gst_parse_launch_full (launch, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS | GST_PARSE_FLAG_PLACE_IN_BIN, &error);
  fail_unless (test->pipeline != NULL, "%s: %s", launch,
      error != NULL ? error->message : "no pipeline");
  if (!GST_IS_PIPELINE (test->pipeline)) {
    GstElement *bin = test->pipeline;

    test->pipeline = gst_pipeline_new (NULL);
    gst_bin_add (GST_BIN (test->pipeline), bin);
  }
  /* what is posted while stopping is wanted too */
  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (test->pipeline), FALSE);
  test->bus = gst_element_get_bus (test->pipeline);
  g_queue_init (&test->kept);
  test->elements = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      gst_object_unref);
  iterator = gst_bin_iterate_recurse (GST_BIN (test->pipeline));
  gst_iterator_foreach (iterator, adopt_sink, test);
  return test;
}

static void
fail_on_error (gpointer data, gpointer user_data)
{
  GstMessage *message = data;
  GError *error = NULL;
  gchar *debug = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return;
  gst_message_parse_error (message, &error, &debug);
  fail ("unexpected error from %s: %s (%s)", GST_MESSAGE_SRC_NAME (message),
      error->message, GST_STR_NULL (debug));
}

/* What the test has not asked for stays here. */
static void
keep_messages (SinkTest * test)
{
  GstMessage *message;

  while ((message = gst_bus_pop (test->bus)) != NULL)
    g_queue_push_tail (&test->kept, message);
}

void
sink_test_forget_messages (SinkTest * test)
{
  keep_messages (test);
  g_queue_clear_full (&test->kept, (GDestroyNotify) gst_message_unref);
}

void
sink_test_free (SinkTest * test)
{
  gint64 duration;

  if (test == NULL)
    return;
  duration = sink_test_stop (test);
  fail_unless (duration < STOP_LIMIT * sink_test_time_factor (),
      "stopping took %.3f s", duration / 1e6);
  keep_messages (test);
  g_queue_foreach (&test->kept, fail_on_error, NULL);
  sink_test_forget_messages (test);
  gst_bus_set_flushing (test->bus, TRUE);
  gst_object_unref (test->bus);
  g_hash_table_unref (test->elements);
  g_clear_object (&test->sink);
  gst_object_unref (test->pipeline);
  g_free (test->uri);
  g_free (test);
}

GstElement *
sink_test_pipeline (SinkTest * test)
{
  return test->pipeline;
}

GstElement *
sink_test_element (SinkTest * test, const gchar * name)
{
  GstElement *element = test->sink;

  if (name != NULL)
    element = g_hash_table_lookup (test->elements, name);
  if (element == NULL && name != NULL) {
    element = gst_bin_get_by_name (GST_BIN (test->pipeline), name);
    if (element != NULL)
      g_hash_table_insert (test->elements, g_strdup (name), element);
  }
  fail_unless (element != NULL, "no element '%s'", name ? name : FACTORY);
  return element;
}

GstStateChangeReturn
sink_test_try_state (SinkTest * test, GstState state)
{
  return gst_element_set_state (test->pipeline, state);
}

/* The text of an ERROR that waits on the bus, or "". */
static gchar *
error_text (SinkTest * test)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (test->bus,
      GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  if (message == NULL)
    return g_strdup ("");
  gst_message_parse_error (message, &error, &debug);
  return g_strdup_printf (": %s (%s)", error->message, GST_STR_NULL (debug));
}

void
sink_test_set_state (SinkTest * test, GstState state)
{
  GstStateChangeReturn ret = sink_test_try_state (test, state);

  if (ret == GST_STATE_CHANGE_ASYNC)
    ret = gst_element_get_state (test->pipeline, NULL, NULL,
        SINK_TEST_TIMEOUT * GST_USECOND);
  if (ret == GST_STATE_CHANGE_FAILURE || ret == GST_STATE_CHANGE_ASYNC)
    fail ("%s was not reached%s", gst_element_state_get_name (state),
        error_text (test));
}

void
sink_test_play (SinkTest * test)
{
  sink_test_set_state (test, GST_STATE_PLAYING);
}

gint64
sink_test_stop (SinkTest * test)
{
  gint64 start = g_get_monotonic_time ();

  fail_unless_equals_int (sink_test_try_state (test, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  return g_get_monotonic_time () - start;
}

const gchar *
sink_test_uri (SinkTest * test, const gchar * name)
{
  g_clear_pointer (&test->uri, g_free);
  g_object_get (sink_test_element (test, name), "uri", &test->uri, NULL);
  fail_unless (test->uri != NULL, "the element has no uri");
  return test->uri;
}

static guint
get_number (SinkTest * test, const gchar * name, const gchar * property)
{
  g_auto (GValue) any = G_VALUE_INIT;
  g_auto (GValue) number = G_VALUE_INIT;

  g_value_init (&number, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (sink_test_element (test, name)), property,
      &any);
  g_value_transform (&any, &number);
  return g_value_get_int64 (&number);
}

guint
sink_test_port (SinkTest * test, const gchar * name)
{
  return get_number (test, name, "bound-port");
}

guint
sink_test_num_viewers (SinkTest * test, const gchar * name)
{
  return get_number (test, name, "num-viewers");
}

/* --- the bus --- */

typedef struct
{
  GstMessageType types;
  const gchar *name;            /* of the structure, or NULL */
} Wanted;

static gboolean
is_wanted (GstMessage * message, const Wanted * wanted)
{
  if (!(GST_MESSAGE_TYPE (message) & wanted->types))
    return FALSE;
  return wanted->name == NULL || gst_message_has_name (message, wanted->name);
}

static GstMessage *
take_kept (SinkTest * test, const Wanted * wanted)
{
  GList *item;
  GstMessage *message;

  for (item = test->kept.head; item != NULL; item = item->next) {
    message = item->data;
    if (is_wanted (message, wanted)) {
      g_queue_delete_link (&test->kept, item);
      return message;
    }
  }
  return NULL;
}

static GstMessage *
wait_wanted (SinkTest * test, const Wanted * wanted, gint64 timeout)
{
  gint64 deadline = g_get_monotonic_time () + timeout;
  GstMessage *message = take_kept (test, wanted);

  while (message == NULL) {
    gint64 left = MAX (deadline - g_get_monotonic_time (), 0);

    message = gst_bus_timed_pop (test->bus, left * GST_USECOND);
    if (message == NULL)
      fail ("waited %.3f s for message '%s'", timeout / 1e6,
          wanted->name ? wanted->name :
          gst_message_type_get_name (wanted->types));
    if (!is_wanted (message, wanted)) {
      fail_on_error (message, NULL);
      g_queue_push_tail (&test->kept, g_steal_pointer (&message));
    }
  }
  return message;
}

GstMessage *
sink_test_wait_element_message (SinkTest * test, const gchar * name,
    gint64 timeout)
{
  Wanted wanted = { GST_MESSAGE_ELEMENT, name };

  return wait_wanted (test, &wanted, timeout);
}

GstMessage *
sink_test_wait_message (SinkTest * test, GstMessageType types, gint64 timeout)
{
  Wanted wanted = { types, NULL };

  return wait_wanted (test, &wanted, timeout);
}

void
sink_test_expect_error (SinkTest * test, GQuark domain, gint code,
    const gchar * const *words, gint64 timeout)
{
  g_autoptr (GstMessage) message = sink_test_wait_message (test,
      GST_MESSAGE_ERROR, timeout);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL, *text = NULL;

  gst_message_parse_error (message, &error, &debug);
  text = g_utf8_casefold (error->message, -1);
  fail_unless (g_error_matches (error, domain, code),
      "the error is %s %d: %s", g_quark_to_string (error->domain), error->code,
      error->message);
  for (; words != NULL && *words != NULL; words++) {
    g_autofree gchar *word = g_utf8_casefold (*words, -1);

    fail_unless (strstr (text, word) != NULL, "no '%s' in: %s", *words,
        error->message);
  }
}

guint
sink_test_count_warnings (SinkTest * test)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (sink_test_pipeline (test));
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL) {
    n++;
    gst_message_unref (message);
  }
  return n;
}

gboolean
sink_test_has_element_message (SinkTest * test, const gchar * name)
{
  Wanted wanted = { GST_MESSAGE_ELEMENT, name };
  GstMessage *message;

  keep_messages (test);
  message = take_kept (test, &wanted);
  if (message == NULL)
    return FALSE;
  g_queue_push_head (&test->kept, message);
  return TRUE;
}

/* --- waiting --- */

void
sink_test_wait_until (GSourceFunc predicate, gpointer data, gint64 timeout,
    const gchar * what)
{
  gint64 deadline = g_get_monotonic_time () + timeout;

  while (!predicate (data)) {
    if (g_get_monotonic_time () >= deadline)
      fail ("waited %.3f s for %s", timeout / 1e6, what);
    g_usleep (POLL_INTERVAL);
  }
}

typedef struct
{
  SinkTest *test;
  const gchar *name;
  guint n;
} ViewersWanted;

static gboolean
has_num_viewers (gpointer data)
{
  ViewersWanted *wanted = data;

  return sink_test_num_viewers (wanted->test, wanted->name) == wanted->n;
}

void
sink_test_wait_num_viewers (SinkTest * test, const gchar * name, guint n,
    gint64 timeout)
{
  ViewersWanted wanted = { test, name, n };
  g_autofree gchar *what = g_strdup_printf ("num-viewers %u", n);

  sink_test_wait_until (has_num_viewers, &wanted, timeout, what);
}

static gboolean
fds_at_most (gpointer max)
{
  return proc_count_fds () <= GPOINTER_TO_UINT (max);
}

static gboolean
threads_at_most (gpointer max)
{
  return proc_count_threads () <= GPOINTER_TO_UINT (max);
}

/* Like sink_test_wait_until(), telling what is there if it fails. */
static void
wait_or_list (GSourceFunc predicate, guint max, gint64 timeout,
    const gchar * what, gchar * (*list) (void))
{
  gint64 deadline = g_get_monotonic_time () + timeout;

  while (!predicate (GUINT_TO_POINTER (max))) {
    if (g_get_monotonic_time () >= deadline)
      fail ("more than %u %s after %.3f s:\n%s", max, what, timeout / 1e6,
          list ());
    g_usleep (POLL_INTERVAL);
  }
}

void
sink_test_wait_fds (guint max, gint64 timeout)
{
  wait_or_list (fds_at_most, max, timeout, "descriptors", proc_fd_names);
}

void
sink_test_wait_threads (guint max, gint64 timeout)
{
  wait_or_list (threads_at_most, max, timeout, "threads", proc_thread_names);
}

/* --- viewers --- */

guint
sink_test_free_port (void)
{
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  guint port = g_socket_listener_add_any_inet_port (listener, NULL, NULL);

  g_socket_listener_close (listener);
  return port;
}

RtspViewer *
sink_test_start_viewer (SinkTest * test, const gchar * name,
    RtspViewerTransport transport)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, name));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_start (viewer, transport, &error), error);
  return viewer;
}

void
sink_test_receive (RtspViewer * viewer, guint n)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, n, SINK_TEST_TIMEOUT,
          &error), error);
}

void
sink_test_check_pictures (RtspViewer * viewer, guint n)
{
  PictureDecoder *decoder =
      picture_decoder_new (rtsp_viewer_sdp (viewer), "RGB");
  guint last = 0;

  for (guint i = 0; i < n; i++) {
    GstSample *sample = picture_decoder_decode (decoder, rtsp_record_unit
        (rtsp_viewer_record (viewer), i), SINK_TEST_TIMEOUT);
    guint code;

    fail_unless (sample != NULL, "no picture %u", i);
    code = code_src_nearest (picture_grey (sample));
    fail_unless (i == 0 || code == (last + 1) % CODE_SRC_CODES,
        "%u after %u", code, last);
    last = code;
    gst_sample_unref (sample);
  }
  picture_decoder_free (decoder);
}
