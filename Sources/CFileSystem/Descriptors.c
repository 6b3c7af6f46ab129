#include "Internal.h"

#include <dirent.h>
#include <sys/resource.h>

int64_t tdf_descriptor_limit(void) {
  struct rlimit limit;
  int result = TDF_CALL(getrlimit(RLIMIT_NOFILE, &limit));
  if (result < 0) return result;
  return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int64_t)limit.rlim_cur;
}

int64_t tdf_descriptor_count(void) {
  DIR *directory = opendir("/proc/self/fd");
  if (!directory) return -errno;
  int64_t count = 0;
  for (struct dirent *entry; (entry = readdir(directory));) count += entry->d_name[0] != '.';
  closedir(directory);
  // Do not count the descriptor of the directory.
  return count - 1;
}
