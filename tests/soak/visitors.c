/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Visitors at the same time; see visitors.h. */

#include "visitors.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "soak-visitor"
#define TICK_MS 100

typedef struct
{
  GPtrArray *args;
  VisitorShare share;           /* that is still to do */
  GPid pid;
  gint fd;                      /* its stdout; -1 = it is gone */
  gboolean to_be_killed;        /* by its last report */
} Visitor;

struct _Visitors
{
  gchar *url;
  gchar *program;
  GPtrArray *all;
  guint n_strange;              /* that ended otherwise than they should */
};

static void
free_visitor (gpointer data)
{
  Visitor *visitor = data;

  g_ptr_array_unref (visitor->args);
  g_free (visitor);
}

/* The visitors' program stands beside ours. */
static gchar *
find_program (void)
{
  g_autofree gchar *own = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree gchar *directory = g_path_get_dirname (own);

  return g_build_filename (directory, PROGRAM, NULL);
}

Visitors *
visitors_new (const gchar * url)
{
  Visitors *visitors = g_new0 (Visitors, 1);

  visitors->url = g_strdup (url);
  visitors->program = find_program ();
  visitors->all = g_ptr_array_new_with_free_func (free_visitor);
  return visitors;
}

void
visitors_free (Visitors * visitors)
{
  g_ptr_array_unref (visitors->all);
  g_free (visitors->program);
  g_free (visitors->url);
  g_free (visitors);
}

static GPtrArray *
make_argv (Visitors * visitors, Visitor * visitor)
{
  GPtrArray *argv = g_ptr_array_new_with_free_func (g_free);
  const VisitorShare *share = &visitor->share;

  g_ptr_array_add (argv, g_strdup (visitors->program));
  for (guint i = 0; i < visitor->args->len; i++)
    g_ptr_array_add (argv, g_strdup (visitor->args->pdata[i]));
  g_ptr_array_add (argv, g_strdup_printf ("--first=%u", share->first));
  g_ptr_array_add (argv, g_strdup_printf ("--step=%u", share->step));
  g_ptr_array_add (argv, g_strdup_printf ("--end=%u", share->end));
  g_ptr_array_add (argv, g_strdup_printf ("--until=%" G_GINT64_FORMAT,
          share->until));
  g_ptr_array_add (argv, g_strdup (visitors->url));
  g_ptr_array_add (argv, NULL);
  return argv;
}

static void
start (Visitors * visitors, Visitor * visitor)
{
  g_autoptr (GPtrArray) argv = make_argv (visitors, visitor);
  g_auto (GStrv) environment = g_get_environ ();
  g_autoptr (GError) error = NULL;

  /* it has nothing to trace and uses no plugins: starts at once */
  environment = g_environ_unsetenv (environment, "GST_TRACERS");
  environment = g_environ_setenv (environment, "GST_REGISTRY_DISABLE", "yes",
      TRUE);
  visitor->to_be_killed = FALSE;
  /* closes in the child what is open here */
  if (!g_spawn_async_with_pipes (NULL, (gchar **) argv->pdata, environment,
          G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES, NULL, NULL,
          &visitor->pid, NULL, &visitor->fd, NULL, &error))
    g_error ("%s", error->message);
}

void
visitors_add (Visitors * visitors, GPtrArray * args, const VisitorShare * share)
{
  Visitor *visitor = g_new0 (Visitor, 1);

  visitor->args = g_ptr_array_ref (args);
  visitor->share = *share;
  start (visitors, visitor);
  g_ptr_array_add (visitors->all, visitor);
}

static void
note_report (Visitor * visitor, const VisitReport * report,
    const VisitorsFuncs * funcs, gpointer user_data)
{
  visitor->share.first = report->number + visitor->share.step;
  visitor->to_be_killed = report->end == VISIT_KILL;
  funcs->note (report, user_data);
}

/* There is something to read: a report, or the process's end. */
static void
handle (Visitors * visitors, Visitor * visitor, const VisitorsFuncs * funcs,
    gpointer user_data)
{
  VisitReport report;
  gboolean killed;
  gint status;

  /* a report is written in one piece: it is shorter than PIPE_BUF */
  if (read (visitor->fd, &report, sizeof report) == sizeof report) {
    note_report (visitor, &report, funcs, user_data);
    return;
  }
  close (visitor->fd);
  visitor->fd = -1;
  waitpid (visitor->pid, &status, 0);
  killed = WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL;
  if (killed && visitor->to_be_killed) {
    start (visitors, visitor);
  } else if (status != 0) {
    g_print ("a visitor ended strangely: status %d\n", status);
    visitors->n_strange++;
  }
}

static GArray *
poll_fds (Visitors * visitors)
{
  GArray *fds = g_array_new (FALSE, FALSE, sizeof (GPollFD));

  for (guint i = 0; i < visitors->all->len; i++) {
    Visitor *visitor = visitors->all->pdata[i];
    GPollFD fd = {.fd = visitor->fd,.events = G_IO_IN };

    /* poll() leaves out what is negative */
    g_array_append_val (fds, fd);
  }
  return fds;
}

static gboolean
somebody_is_there (Visitors * visitors)
{
  for (guint i = 0; i < visitors->all->len; i++) {
    if (((Visitor *) visitors->all->pdata[i])->fd >= 0)
      return TRUE;
  }
  return FALSE;
}

guint
visitors_wait (Visitors * visitors, const VisitorsFuncs * funcs,
    gpointer user_data)
{
  while (somebody_is_there (visitors)) {
    g_autoptr (GArray) fds = poll_fds (visitors);

    g_poll ((GPollFD *) fds->data, fds->len, TICK_MS);
    for (guint i = 0; i < fds->len; i++) {
      if (g_array_index (fds, GPollFD, i).revents != 0)
        handle (visitors, visitors->all->pdata[i], funcs, user_data);
    }
    funcs->tick (user_data);
  }
  return visitors->n_strange;
}
