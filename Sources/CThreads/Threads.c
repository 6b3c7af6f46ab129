#include "CThreads.h"

#include <stddef.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static _Thread_local const void *threadContext = NULL;

const void *tdt_context(void) { return threadContext; }

void tdt_set_context(const void *context) { threadContext = context; }

typedef struct {
  void (*body)(void *);
  void *context;
} start;

static void *run(void *argument) {
  const start started = *(start *)argument;
  free(argument);
  started.body(started.context);
  return NULL;
}

bool tdt_start_thread(void (*body)(void *context), void *context) {
  start *argument = malloc(sizeof *argument);
  if (!argument) return false;
  *argument = (start){body, context};
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool is_started = pthread_create(&thread, NULL, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (is_started) {
    pthread_detach(thread);
  } else {
    free(argument);
  }
  return is_started;
}
