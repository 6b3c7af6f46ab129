// The C functions of CKyotoCabinet.h. Every C++ exception ends here.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <variant>

#include "../Cabinet/Cabinet.h"
#include "../Cabinet/ContentsAcceptance.h"
#include "../Cabinet/ContentsCheck.h"
#include "../Commit/BatchCommit.h"
#include "../Snapshots/HashScan.h"
#include "../Snapshots/TreeScan.h"
#include "../include/CKyotoCabinet.h"
#include "CabinetHandle.h"
#include "Guard.h"

using namespace todana;

struct tdn_snapshot {
  std::shared_ptr<Cabinet> cabinet;
  std::shared_ptr<Snapshot> snapshot;
};

struct tdn_scan {
  std::shared_ptr<Cabinet> cabinet;
  std::shared_ptr<Snapshot> snapshot;
  bool isSealed;
  std::variant<HashScan, TreeScan> scan;
  std::unique_ptr<ContentsCheck> check;  // of a scan over everything; two kilobytes that other scans do without
};

namespace {

// A snapshot that was ended says so rather than that the store is closed.
Cabinet::Use useOf(Cabinet &cabinet, const Snapshot *snapshot) {
  if (snapshot && !cabinet.isOpen()) {
    throw Failure(TDN_INTERRUPTED, "the store was closed or reopened, which ended the snapshot");
  }
  return Cabinet::Use(cabinet);
}

}  // namespace

// MARK: Opening and closing

namespace {

FileGroup::Durability level(int32_t durability) {
  switch (durability) {
    case TDN_FULL: return FileGroup::Durability::full;
    case TDN_RELAXED: return FileGroup::Durability::relaxed;
    case TDN_BULK: return FileGroup::Durability::bulk;
    default: throw Failure(TDN_INVALID, "unknown level of durability");
  }
}

std::string checkedName(int32_t kind, const uint8_t *name, size_t length) {
  if (kind < TDN_STRUCTURE_ROWS || kind > TDN_STRUCTURE_TREE) throw Failure(TDN_INVALID, "unknown kind of structure");
  if (length < 1 || length > kMaximumNameLength) throw Failure(TDN_LIMIT, "a structure's name has 1 to 65,535 bytes");
  return std::string(reinterpret_cast<const char *>(name), length);
}

}  // namespace

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
  guard(error, [&] {
    auto opened = std::make_unique<tdn_cabinet>();
    opened->cabinet = std::make_shared<Cabinet>(path, *options, *report);
    handle = opened.release();
  });
  return handle;
}

bool tdn_close(tdn_cabinet *handle, tdn_error *error) {
  std::unique_ptr<tdn_cabinet> owned(handle);
  return guard(error, [&] { owned->cabinet->close(); });
}

bool tdn_reopen(tdn_cabinet *handle, tdn_open_report *report, tdn_error *error) {
  return guard(error, [&] { handle->cabinet->reopen(*report); });
}

// MARK: Structures

bool tdn_structures(
  tdn_cabinet *handle, void *context, void (*visit)(void *context, const tdn_structure *structure), tdn_error *error) {
  return guard(error, [&] {
    // All first: the callback may call us.
    for (const Session::StructureInfo &info : Cabinet::Use(*handle->cabinet)->structures()) {
      tdn_structure structure{
        info.id, info.kind, reinterpret_cast<const uint8_t *>(info.name.data()), info.name.size()};
      visit(context, &structure);
    }
  });
}

bool tdn_mend_records(tdn_cabinet *handle, uint32_t structure, tdn_error *error) {
  return guard(error, [&] { Cabinet::Use(*handle->cabinet)->table().mendRecords(structure); });
}

bool tdn_structure_named(
  tdn_cabinet *handle, int32_t kind, const uint8_t *name, size_t nameLength, uint32_t *id, tdn_error *error) {
  return guard(error, [&] {
    const std::string checked = checkedName(kind, name, nameLength);
    Cabinet::Use session(*handle->cabinet);
    *id = session->table().structure(kind, checked).id;
  });
}

bool tdn_structure_numbered(
  tdn_cabinet *handle, uint32_t id, int32_t kind, const uint8_t *name, size_t nameLength, tdn_error *error) {
  return guard(error, [&] {
    const std::string checked = checkedName(kind, name, nameLength);
    Cabinet::Use session(*handle->cabinet);
    session->table().addNew(id, kind, checked);
  });
}

bool tdn_count(tdn_cabinet *handle, uint32_t structure, uint64_t *count, tdn_error *error) {
  return guard(error, [&] { *count = Cabinet::Use(*handle->cabinet)->count(structure); });
}

bool tdn_reserve_rows(
  tdn_cabinet *handle, uint32_t structure, uint64_t count, uint64_t *first, tdn_error *error) {
  return guard(error, [&] { *first = Cabinet::Use(*handle->cabinet)->reserveRows(structure, count); });
}

// MARK: Committing

bool tdn_commit(
  tdn_cabinet *handle, const tdn_batch *batch, int32_t durability, tdn_commit_result *result, tdn_error *error) {
  *result = {};
  return guard(error, [&] {
    Cabinet::Use session(*handle->cabinet);
    std::vector<uint64_t> conflicts;
    try {
      result->commit_number = session->commit(*batch, level(durability), conflicts);
    } catch (const Conflict &) {
      result->conflicts = static_cast<uint64_t *>(std::malloc(conflicts.size() * sizeof(uint64_t)));
      if (!result->conflicts) throw std::bad_alloc();
      std::memcpy(result->conflicts, conflicts.data(), conflicts.size() * sizeof(uint64_t));
      result->conflict_count = conflicts.size();
      throw;
    }
  });
}

void tdn_commit_result_free(tdn_commit_result *result) {
  std::free(result->conflicts);
  *result = {};
}

bool tdn_outcome(tdn_cabinet *handle, const uint8_t *batchID, uint64_t *commitNumber, tdn_error *error) {
  return guard(error, [&] { *commitNumber = Cabinet::Use(*handle->cabinet)->group().outcome(batchID); });
}

bool tdn_checkpoint(tdn_cabinet *handle, tdn_error *error) {
  return guard(error, [&] { Cabinet::Use(*handle->cabinet)->group().checkpoint(); });
}

bool tdn_release_memory(tdn_cabinet *handle, tdn_error *error) {
  return guard(error, [&] { Cabinet::Use(*handle->cabinet)->group().releaseMemory(); });
}

// MARK: Reading

bool tdn_get_rows(
  tdn_cabinet *handle, tdn_snapshot *snapshot, uint32_t structure, const uint64_t *rows, size_t rowCount,
  tdn_chunk *chunk, tdn_error *error) {
  return guard(error, [&] {
    ChunkWriter writer(*chunk);
    Snapshot *state = snapshot ? snapshot->snapshot.get() : nullptr;
    useOf(*handle->cabinet, state)->getRows(state, structure, rows, rowCount, writer);
  });
}

bool tdn_get_key(
  tdn_cabinet *handle, tdn_snapshot *snapshot, uint32_t structure, const uint8_t *key, size_t keyLength,
  tdn_chunk *chunk, tdn_error *error) {
  return guard(error, [&] {
    ChunkWriter writer(*chunk);
    Snapshot *state = snapshot ? snapshot->snapshot.get() : nullptr;
    std::string_view view(reinterpret_cast<const char *>(key), keyLength);
    useOf(*handle->cabinet, state)->getKey(state, structure, view, writer);
  });
}

tdn_snapshot *tdn_snapshot_open(tdn_cabinet *handle, tdn_error *error) {
  tdn_snapshot *opened = nullptr;
  guard(error, [&] {
    Cabinet::Use session(*handle->cabinet);
    auto snapshot = std::make_unique<tdn_snapshot>();
    snapshot->cabinet = handle->cabinet;
    snapshot->snapshot = session->openSnapshot();
    opened = snapshot.release();
  });
  return opened;
}

uint64_t tdn_snapshot_commit_number(const tdn_snapshot *snapshot) { return snapshot->snapshot->commitNumber(); }

bool tdn_snapshot_count(tdn_snapshot *snapshot, uint32_t structure, uint64_t *count, tdn_error *error) {
  return guard(error, [&] {
    *count = useOf(*snapshot->cabinet, snapshot->snapshot.get())->snapshotCount(*snapshot->snapshot, structure);
  });
}

bool tdn_snapshot_row_bound(tdn_snapshot *snapshot, uint32_t structure, uint64_t *bound, tdn_error *error) {
  return guard(error, [&] {
    *bound = useOf(*snapshot->cabinet, snapshot->snapshot.get())->snapshotRowBound(*snapshot->snapshot, structure);
  });
}

void tdn_snapshot_close(tdn_snapshot *snapshot) {
  std::unique_ptr<tdn_snapshot> owned(snapshot);
  tdn_error ignored;
  // What is left of it goes while the session's files are there, or has gone with them.
  guard(&ignored, [&] {
    Cabinet::Use session(*owned->cabinet);
    session->snapshots().close(owned->snapshot);
    owned->snapshot = nullptr;
  });
}

namespace {

template <class MakeScan>
tdn_scan *openScan(
  tdn_snapshot *snapshot, uint32_t structure, bool isTree, bool isWhole, tdn_error *error, MakeScan makeScan) {
  tdn_scan *opened = nullptr;
  guard(error, [&] {
    Snapshot &state = *snapshot->snapshot;
    Cabinet::Use session = useOf(*snapshot->cabinet, &state);
    Structure &scanned = session->structure(structure, isTree);
    SnapshotPart &part = session->snapshotPart(state, scanned);
    auto scan = std::make_unique<tdn_scan>(
      tdn_scan{
        snapshot->cabinet, snapshot->snapshot, part.contents.generation != 0, makeScan(state, part, scanned),
        nullptr});
    if (isWhole) {
      scan->check = std::make_unique<ContentsCheck>(
        session->keyRing(), scanned, part.contents, session->statesAreConsistent());
    }
    opened = scan.release();
  });
  return opened;
}

std::optional<std::string> bound(const uint8_t *bytes, size_t length) {
  if (!bytes) return std::nullopt;
  return std::string(reinterpret_cast<const char *>(bytes), length);
}

}  // namespace

tdn_scan *tdn_scan_open(tdn_snapshot *snapshot, uint32_t structure, tdn_error *error) {
  return openScan(snapshot, structure, false, true, error, [](Snapshot &state, SnapshotPart &part, Structure &scanned) {
    return HashScan(state, part, scanned.hasRows());
  });
}

tdn_scan *tdn_range_open(
  tdn_snapshot *snapshot, uint32_t structure, const uint8_t *lower, size_t lowerLength, const uint8_t *upper,
  size_t upperLength, bool descending, tdn_error *error) {
  const bool isWhole = !lower && !upper;
  return openScan(snapshot, structure, true, isWhole, error, [&](Snapshot &state, SnapshotPart &part, Structure &) {
    return TreeScan(state, part, {bound(lower, lowerLength), bound(upper, upperLength), descending});
  });
}

bool tdn_estimate_range(
  tdn_cabinet *handle, tdn_snapshot *snapshot, uint32_t structure, const uint8_t *lower, size_t lowerLength,
  const uint8_t *upper, size_t upperLength, uint64_t *count, tdn_error *error) {
  return guard(error, [&] {
    Snapshot *state = snapshot ? snapshot->snapshot.get() : nullptr;
    const KeyRange range{bound(lower, lowerLength), bound(upper, upperLength), false};
    *count = useOf(*handle->cabinet, state)->estimateRange(state, structure, range);
  });
}

bool tdn_scan_next(tdn_scan *scan, tdn_chunk *chunk, tdn_error *error) {
  return guard(error, [&] {
    ChunkWriter writer(*chunk);
    writer.setSealed(scan->isSealed);
    Cabinet::Use session = useOf(*scan->cabinet, scan->snapshot.get());
    try {
      for (bool goesOn = true; goesOn;) {
        FileGroup::ReadLock lock(session->group());
        scan->snapshot->check();
        goesOn = std::visit([&](auto &state) { return state.step(writer); }, scan->scan);
      }
    } catch (...) {
      // What was passed over is missing from the sum.
      if (scan->check) scan->check->giveUp();
      throw;
    }
    if (scan->check) scan->check->add(*chunk);
  });
}

void tdn_scan_close(tdn_scan *scan) { delete scan; }

// MARK: Contents

bool tdn_get_anchor(tdn_cabinet *handle, tdn_anchor *anchor, tdn_error *error) {
  return guard(error, [&] { *anchor = Cabinet::Use(*handle->cabinet)->anchor(); });
}

bool tdn_accept_contents(
  tdn_cabinet *handle, tdn_progress progress, void *context, bool *accepted, tdn_error *error) {
  return guard(error, [&] {
    Cabinet::Use session(*handle->cabinet);
    *accepted = ContentsAcceptance(*session).run(
      [=](uint64_t done, uint64_t total) { return progress(context, done, total); });
  });
}

// MARK: Compacting

bool tdn_compact(
  tdn_cabinet *handle, uint32_t structure, tdn_progress progress, void *context, bool *compacted, tdn_error *error) {
  return guard(error, [&] {
    *compacted = Cabinet::Use(*handle->cabinet)->compact(
      structure, [=](uint64_t done, uint64_t total) { return progress(context, done, total); });
  });
}

bool tdn_get_space(
  tdn_cabinet *handle, uint32_t structure, tdn_progress progress, void *context, tdn_space *space, tdn_error *error) {
  return guard(error, [&] {
    const Session::Space found = Cabinet::Use(*handle->cabinet)->space(
      structure, [=](uint64_t done, uint64_t total) { return progress(context, done, total); });
    *space = {found.fileBytes, found.neededBytes};
  });
}

// MARK: Looking inside

bool tdn_verify_part(
  tdn_cabinet *handle, uint32_t structure, uint64_t firstPage, tdn_verified_part *part, tdn_error *error) {
  return guard(error, [&] {
    *part = {};
    if (firstPage > UINT32_MAX) return;  // beyond any file's pages
    std::string name;
    const FileGroup::Verified verified =
      Cabinet::Use(*handle->cabinet)->verifyPart(structure, static_cast<int64_t>(firstPage), name);
    copyText(part->file, sizeof(part->file), name);
    part->page_count = static_cast<uint64_t>(verified.lookedAt);
    part->file_page_count = static_cast<uint64_t>(verified.pageCount);
    part->damaged_count = verified.damaged.size();
    for (uint64_t page : verified.damaged) part->damaged[(page - firstPage) / 8] |= 1 << ((page - firstPage) & 7);
  });
}

bool tdn_verify_companions(
  tdn_cabinet *handle, void *context, void (*visit)(void *context, const char *file, const char *message),
  tdn_error *error) {
  return guard(error, [&] {
    for (const FileGroup::DamagedFile &file : handle->cabinet->verifyCompanions()) {
      visit(context, file.name.c_str(), file.message.c_str());
    }
  });
}

bool tdn_get_statistics(tdn_cabinet *handle, tdn_statistics *statistics, tdn_error *error) {
  return guard(error, [&] { *statistics = Cabinet::Use(*handle->cabinet)->statistics(); });
}
