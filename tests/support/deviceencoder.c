/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#include "deviceencoder.h"

#include <gst/check/gstcheck.h>
#include <gst/video/gstvideoencoder.h>

/* --- frames --- */

#define MEMORY_TYPE "device"

typedef struct
{
  GstMemory parent;
  GstBuffer *frame;
} DeviceMemory;

typedef struct
{
  GstAllocator parent;
} DeviceAllocator;

typedef struct
{
  GstAllocatorClass parent;
} DeviceAllocatorClass;

static GType device_allocator_get_type (void);
G_DEFINE_TYPE (DeviceAllocator, device_allocator, GST_TYPE_ALLOCATOR);

static void
free_memory (GstAllocator * allocator, GstMemory * memory)
{
  gst_buffer_unref (((DeviceMemory *) memory)->frame);
  g_free (memory);
}

static gpointer
refuse_map (GstMemory * memory, gsize size, GstMapFlags flags)
{
  return NULL;
}

static void
device_allocator_class_init (DeviceAllocatorClass * klass)
{
  GST_ALLOCATOR_CLASS (klass)->free = free_memory;
}

static void
device_allocator_init (DeviceAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = MEMORY_TYPE;
  allocator->mem_map = refuse_map;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static GstAllocator *
get_allocator (void)
{
  static gsize allocator = 0;

  if (g_once_init_enter (&allocator)) {
    GstObject *made = gst_object_ref_sink (g_object_new
        (device_allocator_get_type (), NULL));

    GST_OBJECT_FLAG_SET (made, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    g_once_init_leave (&allocator, (gsize) made);
  }
  return (GstAllocator *) allocator;
}

GstBuffer *
device_frame_new (GstBuffer * frame)
{
  DeviceMemory *memory = g_new0 (DeviceMemory, 1);
  GstBuffer *buffer = gst_buffer_new ();

  /* Its size says nothing of the picture's. */
  gst_memory_init (GST_MEMORY_CAST (memory), 0, get_allocator (), NULL, 16, 0,
      0, 16);
  memory->frame = frame;
  gst_buffer_copy_into (buffer, frame, GST_BUFFER_COPY_FLAGS |
      GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_append_memory (buffer, GST_MEMORY_CAST (memory));
  return buffer;
}

gboolean
device_frame_is (GstBuffer * frame)
{
  return gst_memory_is_type (gst_buffer_peek_memory (frame, 0), MEMORY_TYPE);
}

/* --- encoder --- */

static GstVideoEncoderClass *
parent_class (GstVideoEncoder * encoder)
{
  return g_type_class_peek_parent (GST_VIDEO_ENCODER_GET_CLASS (encoder));
}

static GstFlowReturn
handle_frame (GstVideoEncoder * encoder, GstVideoCodecFrame * frame)
{
  if (device_frame_is (frame->input_buffer)) {
    DeviceMemory *memory = (DeviceMemory *) gst_buffer_peek_memory
        (frame->input_buffer, 0);

    gst_buffer_replace (&frame->input_buffer, memory->frame);
  }
  return parent_class (encoder)->handle_frame (encoder, frame);
}

static GstCaps *
get_caps (GstVideoEncoder * encoder, GstCaps * filter)
{
  g_autoptr (GstCaps) caps =
      gst_pad_get_pad_template_caps (GST_VIDEO_ENCODER_SINK_PAD (encoder));

  return filter != NULL ? gst_caps_intersect_full (filter, caps,
      GST_CAPS_INTERSECT_FIRST) : g_steal_pointer (&caps);
}

static gboolean
propose_allocation (GstVideoEncoder * encoder, GstQuery * query)
{
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    return parent_class (encoder)->propose_allocation (encoder, query);
  gst_query_add_allocation_pool (query, NULL, 16, DEVICE_ENCODER_MIN_BUFFERS,
      0);
  return TRUE;
}

static void
init_class (gpointer klass, gpointer data)
{
  GstVideoEncoderClass *encoder_class = klass;
  g_autoptr (GstCaps) caps = gst_caps_from_string (data);

  encoder_class->handle_frame = handle_frame;
  encoder_class->getcaps = get_caps;
  encoder_class->propose_allocation = propose_allocation;
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("sink",
          GST_PAD_SINK, GST_PAD_ALWAYS, caps));
}

static void
init_instance (GTypeInstance * instance, gpointer klass)
{
  gst_util_set_object_arg (G_OBJECT (instance), "tune", "zerolatency");
  gst_util_set_object_arg (G_OBJECT (instance), "speed-preset", "ultrafast");
}

static GType
make_type (GType parent, const gchar * name, const gchar * caps)
{
  GTypeQuery query;
  GTypeInfo info = { 0, };

  g_type_query (parent, &query);
  info.class_size = query.class_size;
  info.instance_size = query.instance_size;
  info.class_init = init_class;
  info.class_data = caps;
  info.instance_init = init_instance;
  return g_type_register_static (parent, name, &info, 0);
}

void
device_encoder_register (const gchar * factory, guint rank, const gchar * caps)
{
  g_autofree gchar *name = g_strdup_printf ("DeviceEncoder-%s", factory);
  GstElement *parent = gst_element_factory_make ("x264enc", NULL);
  GType type = g_type_from_name (name);

  fail_unless (parent != NULL, "no x264enc");
  gst_object_ref_sink (parent);
  /* Without forks it may be there from another test. */
  if (type == 0)
    type = make_type (G_OBJECT_TYPE (parent), name, caps);
  gst_object_unref (parent);
  fail_unless (gst_element_register (NULL, factory, rank, type));
}
