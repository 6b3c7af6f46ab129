// The C functions of StorageEngineBackups.h.
#include "../include/StorageEngineBackups.h"

#include <memory>
#include <string>

#include "../Backups/Backup.h"
#include "../Backups/BackupReader.h"
#include "../Backups/BackupWriter.h"
#include "../Cabinet/Cabinet.h"
#include "../Disk/PartialDirectory.h"
#include "CabinetHandle.h"
#include "ErrorBoundary.h"

using namespace todana;

struct tdn_backup {
  std::shared_ptr<Cabinet> cabinet;
  std::unique_ptr<Backup> backup;
};

struct tdn_backup_reader {
  std::shared_ptr<Cabinet> cabinet;
  std::unique_ptr<BackupReader> reader;
};

struct tdn_backup_writer {
  BackupWriter writer;
};

namespace {

constexpr int64_t kStreamPiece = 256 << 10;

}  // namespace

// MARK: Copies

tdn_backup *tdn_backup_open(
  tdn_cabinet *handle, const char *path, uint64_t *commitNumber, uint64_t *byteCount, tdn_error *error) {
  tdn_backup *opened = nullptr;
  catchErrors(error, [&] {
    auto backup = handle->cabinet->openBackup(path);
    *commitNumber = backup->commitNumber();
    *byteCount = static_cast<uint64_t>(backup->byteCount());
    opened = new tdn_backup{handle->cabinet, std::move(backup)};
  });
  return opened;
}

bool tdn_backup_next(tdn_backup *handle, uint64_t *copied, bool *done, tdn_error *error) {
  return catchErrors(error, [&] {
    Cabinet::Use open(*handle->cabinet);
    *copied = static_cast<uint64_t>(handle->backup->next());
    *done = handle->backup->isDone();
  });
}

void tdn_backup_close(tdn_backup *handle) { delete handle; }

bool tdn_put_in_place(const char *from, const char *to, tdn_error *error) {
  return catchErrors(error, [&] { putInPlace(withoutLastSlashes(from), withoutLastSlashes(to)); });
}

// MARK: Streams

tdn_backup_reader *tdn_backup_reader_open(tdn_cabinet *handle, tdn_backup_summary *summary, tdn_error *error) {
  tdn_backup_reader *opened = nullptr;
  catchErrors(error, [&] {
    auto reader = handle->cabinet->openBackupReader();
    *summary = {};
    summary->commit_number = reader->commitNumber();
    summary->file_count = reader->files().size();
    summary->byte_count = static_cast<uint64_t>(reader->byteCount());
    opened = new tdn_backup_reader{handle->cabinet, std::move(reader)};
  });
  return opened;
}

bool tdn_backup_reader_next(tdn_backup_reader *handle, tdn_backup_piece *piece, tdn_error *error) {
  return catchErrors(error, [&] {
    Cabinet::Use open(*handle->cabinet);
    const BackupReader::Piece next = handle->reader->next(kStreamPiece);
    *piece = {};
    if (!next.file) return;
    piece->file = next.file->name.c_str();
    piece->file_byte_count = static_cast<uint64_t>(next.file->byteCount);
    piece->offset = static_cast<uint64_t>(next.offset);
    piece->bytes = next.bytes;
    piece->byte_count = next.byteCount;
  });
}

void tdn_backup_reader_close(tdn_backup_reader *reader) { delete reader; }

tdn_backup_writer *tdn_backup_writer_open(const char *path, tdn_error *error) {
  tdn_backup_writer *opened = nullptr;
  catchErrors(error, [&] { opened = new tdn_backup_writer{BackupWriter(path)}; });
  return opened;
}

bool tdn_backup_writer_begin(tdn_backup_writer *handle, const char *name, tdn_error *error) {
  return catchErrors(error, [&] { handle->writer.begin(name); });
}

bool tdn_backup_writer_write(tdn_backup_writer *handle, const void *bytes, size_t byteCount, tdn_error *error) {
  return catchErrors(error, [&] { handle->writer.write(bytes, byteCount); });
}

bool tdn_backup_writer_finish(tdn_backup_writer *handle, tdn_error *error) {
  return catchErrors(error, [&] { handle->writer.finish(); });
}

void tdn_backup_writer_close(tdn_backup_writer *writer) { delete writer; }
