#include "CProcess.h"

static char *const *kept_arguments;

#ifdef __GLIBC__
// glibc passes constructors the arguments of main; other C libraries pass nothing.
__attribute__((constructor)) static void keep_arguments(int count, char **arguments, char **environment) {
  (void)count;
  (void)environment;
  kept_arguments = arguments;
}
#endif

char *const *tdp_arguments(void) { return kept_arguments; }
