// The C functions of StorageEngineOpening.h.
#include "../include/StorageEngineOpening.h"

#include <memory>

#include "../Directory/StoreDirectory.h"
#include "CabinetHandle.h"
#include "ErrorBoundary.h"

using namespace todana;

void tdn_options_init(tdn_options *options) {
  *options = {};
  options->storage = TDN_STORAGE_DIRECTORY;
  options->access = TDN_ACCESS_WRITE;
  options->log_limit = 64 << 20;
  options->private_limit = 128 << 20;
  options->commit_limit = 1 << 30;
  options->snapshot_limit = 64 << 20;
  options->direct_threshold = 1 << 20;
  options->descriptor_limit = 256;
  options->compaction_room = 64 << 20;
}

tdn_cabinet *tdn_open(const char *path, const tdn_options *options, tdn_open_report *report, tdn_error *error) {
  tdn_cabinet *handle = nullptr;
  catchErrors(error, [&] {
    auto opened = std::make_unique<tdn_cabinet>();
    opened->cabinet = std::make_shared<Cabinet>(path, *options, *report);
    handle = opened.release();
  });
  return handle;
}

bool tdn_close(tdn_cabinet *handle, tdn_error *error) {
  std::unique_ptr<tdn_cabinet> owned(handle);
  return catchErrors(error, [&] { owned->cabinet->close(); });
}

bool tdn_check_after_fork(tdn_cabinet *handle, tdn_error *error) {
  return catchErrors(error, [&] { handle->cabinet->requireUnchangedSinceFork(); });
}

void tdn_abandon(tdn_cabinet *handle) { handle->cabinet->abandon(); }

bool tdn_destroy(const char *path, int64_t waitMilliseconds, tdn_error *error) {
  return catchErrors(error, [&] { StoreDirectory::destroy(path, waitMilliseconds); });
}

bool tdn_reopen(tdn_cabinet *handle, tdn_open_report *report, tdn_error *error) {
  return catchErrors(error, [&] { handle->cabinet->reopen(*report); });
}

bool tdn_get_anchor(tdn_cabinet *handle, tdn_anchor *anchor, tdn_error *error) {
  return catchErrors(error, [&] { *anchor = Cabinet::Use(*handle->cabinet)->anchor(); });
}
