/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#include "encoderstandin.h"

#include <gst/check/gstcheck.h>
#include <string.h>

typedef struct
{
  GstElement parent;
  GValue *values;               /* by property, from 1 on */
  gint n_requests;              /* atomic: emissions of force-IDR */
} Poser;

typedef struct
{
  GstElementClass parent;
  gchar **properties;
  void (*force_idr) (Poser * self);
} PoserClass;

static GType poser_get_type (void);
G_DEFINE_TYPE (Poser, poser, GST_TYPE_ELEMENT);

static GstStaticPadTemplate raw_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS
    ("video/x-raw(memory:VAMemory), format = (string) { P010_10LE, NV12 }; "
        "video/x-raw(memory:DMABuf), format = (string) DMA_DRM, "
        "drm-format = (string) { P010, NV12:0x0100000000000002, AR24 }; "
        "video/x-raw(memory:DMABuf), format = (string) DMA_DRM, "
        "drm-format = (string) AR24; "
        "video/x-raw, format = (string) { Y444, NV12, YUY2, I420, GRAY8 }, "
        "width = (int) [ 16, 4096 ]"));

static GstStaticPadTemplate nvmm_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS
    ("video/x-raw(memory:NVMM), format = (string) { I420, NV12 }"));

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  Poser *self = (Poser *) object;

  g_value_copy (value, &self->values[id]);
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  Poser *self = (Poser *) object;

  g_value_copy (&self->values[id], value);
}

static void
finalize (GObject * object)
{
  Poser *self = (Poser *) object;
  PoserClass *klass = (PoserClass *) G_OBJECT_GET_CLASS (object);
  guint n = g_strv_length (klass->properties);

  for (guint i = 1; i <= n; i++)
    g_value_unset (&self->values[i]);
  g_free (self->values);
  G_OBJECT_CLASS (poser_parent_class)->finalize (object);
}

static void
poser_class_init (PoserClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = finalize;
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Stand-in",
      "Codec/Encoder/Video", "Poses as an encoder", "test");
}

static void
poser_init (Poser * self)
{
}

static void
add_pad (Poser * self, const gchar * name)
{
  GstPadTemplate *template = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), name);

  gst_element_add_pad (GST_ELEMENT (self), gst_pad_new_from_template (template,
          name));
}

static void
init_instance (GTypeInstance * instance, gpointer klass)
{
  Poser *self = (Poser *) instance;
  guint n = g_strv_length (((PoserClass *) klass)->properties);

  add_pad (self, "sink");
  add_pad (self, "src");
  self->values = g_new0 (GValue, n + 1);
  for (guint i = 1; i <= n; i++) {
    g_autofree gchar *name =
        g_strdup (((PoserClass *) klass)->properties[i - 1]);
    GParamSpec *pspec;

    *strchr (name, ':') = '\0';
    pspec = g_object_class_find_property (klass, name);
    g_value_init (&self->values[i], pspec->value_type);
    g_param_value_set_default (pspec, &self->values[i]);
  }
}

static GParamSpec *
make_pspec (const gchar * name, gchar type)
{
  GParamFlags flags = G_PARAM_READWRITE;

  switch (type) {
    case 'u':
      return g_param_spec_uint (name, name, name, 0, G_MAXUINT,
          ENCODER_STAND_IN_UNTOUCHED, flags);
    case 'i':
      return g_param_spec_int (name, name, name, -1, G_MAXINT,
          ENCODER_STAND_IN_UNTOUCHED, flags);
    case 'U':
      return g_param_spec_uint64 (name, name, name, 0, G_MAXUINT64,
          ENCODER_STAND_IN_UNTOUCHED, flags);
    case 's':
      return g_param_spec_string (name, name, name, NULL, flags);
    case 'b':
      return g_param_spec_boolean (name, name, name, FALSE, flags);
    case 'c':
      return g_param_spec_boxed (name, name, name, GST_TYPE_STRUCTURE, flags);
    default:
      g_assert_not_reached ();
  }
}

static void
handle_force_idr (Poser * self)
{
  g_atomic_int_inc (&self->n_requests);
}

static void
init_class (gpointer g_class, gpointer data)
{
  PoserClass *klass = g_class;
  const EncoderStandIn *spec = data;
  GstCaps *caps = gst_caps_from_string (spec->media_type);

  /* These are not inherited. */
  G_OBJECT_CLASS (g_class)->set_property = set_property;
  G_OBJECT_CLASS (g_class)->get_property = get_property;
  klass->properties = g_strsplit (spec->properties, " ", -1);
  for (guint i = 0; klass->properties[i] != NULL; i++) {
    g_autofree gchar *name = g_strdup (klass->properties[i]);
    gchar *type = strchr (name, ':');

    *type++ = '\0';
    g_object_class_install_property (g_class, i + 1, make_pspec (name, *type));
  }
  if (g_str_has_prefix (spec->factory, "nvv4l2h26"))
    g_signal_new ("force-IDR", G_TYPE_FROM_CLASS (g_class),
        G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_STRUCT_OFFSET (PoserClass,
            force_idr), NULL, NULL, NULL, G_TYPE_NONE, 0);
  klass->force_idr = handle_force_idr;

  gst_element_class_add_static_pad_template (g_class,
      g_str_has_prefix (spec->factory, "nvv4l2") ? &nvmm_template :
      &raw_template);
  gst_element_class_add_pad_template (g_class, gst_pad_template_new ("src",
          GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
  if (!g_str_has_suffix (spec->factory, "enc"))
    gst_element_class_set_static_metadata (g_class, "Stand-in",
        "Filter/Converter/Video", "Poses as a converter", "test");
}

/* A type points to its factory for good: none is freed. */
GstPluginFeature *
encoder_stand_in_register (const EncoderStandIn * spec)
{
  GstPluginFeature *feature;
  g_autofree gchar *type_name = g_strdup_printf ("EncoderStandIn-%s",
      spec->factory);
  GType type = g_type_from_name (type_name);
  GTypeQuery query;
  GTypeInfo info = { 0, };

  g_type_query (poser_get_type (), &query);
  info.class_size = query.class_size;
  info.instance_size = query.instance_size;
  info.class_init = init_class;
  info.class_data = spec;
  info.instance_init = init_instance;
  /* Without forks it may be there from another test. */
  if (type == 0)
    type = g_type_register_static (poser_get_type (), type_name, &info, 0);
  fail_unless (gst_element_register (NULL, spec->factory,
          GST_RANK_PRIMARY * 4, type));
  feature = gst_registry_lookup_feature (gst_registry_get (), spec->factory);
  GST_OBJECT_FLAG_SET (feature, GST_OBJECT_FLAG_MAY_BE_LEAKED);
  return feature;
}

guint
encoder_stand_in_count_requests (GstElement * element)
{
  return g_atomic_int_get (&((Poser *) element)->n_requests);
}
