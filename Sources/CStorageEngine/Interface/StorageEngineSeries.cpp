// The C functions of StorageEngineSeries.h.
#include "../include/StorageEngineSeries.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include <sys/stat.h>

#include "../Backups/SeriesPrune.h"
#include "../Backups/SeriesRestore.h"
#include "../Backups/SeriesVerify.h"
#include "../Cabinet/Cabinet.h"
#include "CabinetHandle.h"
#include "ErrorBoundary.h"

using namespace todana;

struct tdn_series_task {
  std::shared_ptr<Cabinet> cabinet;  // null if the task needs no open store
  std::unique_ptr<SeriesTask> task;
};

namespace {

template <class Open>
tdn_series_task *openTask(tdn_error *error, Open open, std::shared_ptr<Cabinet> cabinet = nullptr) {
  tdn_series_task *opened = nullptr;
  catchErrors(error, [&] { opened = new tdn_series_task{std::move(cabinet), open()}; });
  return opened;
}

void fill(tdn_backup_info &info, const ManifestHeader &header) {
  info = {};
  info.number = header.number;
  info.commit_number = header.commitNumber;
  info.byte_count = header.byteCount;
  info.new_byte_count = header.segmentByteCount + header.manifestByteCount;
  info.milliseconds = header.milliseconds;
  std::memcpy(info.store_id, header.storeID, sizeof(info.store_id));
  info.readable = true;
}

void fill(tdn_backup_damage &found, const SeriesTask::Damage &damage) {
  found = {};
  found.number = damage.number;
  found.offset = static_cast<uint64_t>(damage.offset);
  found.byte_count = static_cast<uint64_t>(damage.byteCount);
  copyText(found.file, sizeof(found.file), damage.file);
  copyText(found.stored_in, sizeof(found.stored_in), damage.storedIn);
}

}  // namespace

bool tdn_series_list(
  const char *path, void *context, void (*visit)(void *context, const tdn_backup_info *info), tdn_error *error) {
  return catchErrors(error, [&] {
    struct stat status;
    if (::stat(path, &status) != 0 && errno == ENOENT) return;
    SeriesDirectory directory(path, SeriesDirectory::Use::list);
    for (uint32_t number : directory.manifests()) {
      tdn_backup_info info;
      // Pruned since the list was read.
      if (!directory.disk().open(SeriesDirectory::manifestName(number), Disk::Mode::read)) continue;
      try {
        fill(info, Manifest::readHeader(directory.disk(), number));
      } catch (const Failure &failure) {
        if (failure.code != TDN_DAMAGED && failure.code != TDN_NEWER_FORMAT) throw;
        info = {};
        info.number = number;
      }
      visit(context, &info);
    }
  });
}

tdn_series_task *tdn_series_backup_open(
  tdn_cabinet *handle, const char *path, uint64_t *commitNumber, tdn_error *error) {
  return openTask(error, [&] {
    std::unique_ptr<SeriesBackup> backup = handle->cabinet->openSeriesBackup(path);
    *commitNumber = backup->commitNumber();
    return backup;
  }, handle->cabinet);
}

void tdn_series_task_backup(const tdn_series_task *handle, tdn_backup_info *info) {
  *info = {};
  if (const auto *backup = dynamic_cast<const SeriesBackup *>(handle->task.get())) fill(*info, backup->header());
  if (const auto *restored = dynamic_cast<const SeriesRestore *>(handle->task.get())) fill(*info, restored->header());
}

tdn_series_task *tdn_series_verify_open(const char *path, uint64_t number, tdn_error *error) {
  return openTask(error, [&] { return std::make_unique<SeriesVerify>(path, number); });
}

tdn_series_task *tdn_series_restore_open(const char *path, uint64_t number, const char *target, tdn_error *error) {
  return openTask(error, [&] { return std::make_unique<SeriesRestore>(path, number, target); });
}

tdn_series_task *tdn_series_prune_open(const char *path, uint64_t count, tdn_error *error) {
  return openTask(
    error, [&] { return SeriesPrune::keepingNewest(SeriesDirectory(path, SeriesDirectory::Use::prune), count); });
}

tdn_series_task *tdn_series_remove_open(const char *path, uint64_t number, tdn_error *error) {
  return openTask(
    error, [&] { return SeriesPrune::removing(SeriesDirectory(path, SeriesDirectory::Use::prune), number); });
}

bool tdn_series_task_next(
  tdn_series_task *handle, tdn_series_progress *progress, void *context,
  void (*visit)(void *context, const tdn_backup_damage *damage), tdn_error *error) {
  return catchErrors(error, [&] {
    std::optional<Cabinet::Use> open;
    if (handle->cabinet) open.emplace(*handle->cabinet);
    handle->task->next([&](const SeriesTask::Damage &damage) {
      tdn_backup_damage found;
      fill(found, damage);
      if (visit) visit(context, &found);
    });
    const SeriesTask::Progress &state = handle->task->progress();
    *progress = {};
    progress->done_byte_count = static_cast<uint64_t>(state.doneByteCount);
    progress->byte_count = static_cast<uint64_t>(state.byteCount);
    progress->new_byte_count = static_cast<uint64_t>(state.newByteCount);
    progress->done = state.isDone;
    if (const auto *verify = dynamic_cast<const SeriesVerify *>(handle->task.get())) {
      progress->backup_count = verify->backupCount();
    }
  });
}

void tdn_series_task_close(tdn_series_task *task) { delete task; }
