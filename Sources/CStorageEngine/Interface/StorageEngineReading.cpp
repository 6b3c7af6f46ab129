// The C functions of StorageEngineReading.h.
#include "../include/StorageEngineReading.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "../Cabinet/DigestCheck.h"
#include "../Snapshots/HashScan.h"
#include "../Snapshots/TreeScan.h"
#include "CabinetHandle.h"
#include "ErrorBoundary.h"

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
  std::unique_ptr<DigestCheck> check;  // null unless all records are scanned: it takes 2 KB
};

namespace {

// Uses the cabinet for a read. Reports TDN_SNAPSHOT_ENDED rather than TDN_CLOSED for a snapshot that was ended.
Cabinet::Use useOf(Cabinet &cabinet, const Snapshot *snapshot) {
  if (snapshot && !cabinet.isOpen()) {
    throw Failure(TDN_SNAPSHOT_ENDED, "the store was closed or reopened, which ended the snapshot");
  }
  return Cabinet::Use(cabinet);
}

}  // namespace

bool tdn_get_rows(
  tdn_cabinet *handle, tdn_snapshot *snapshot, uint32_t keyspace, const uint64_t *rows, size_t rowCount,
  tdn_chunk *chunk, tdn_error *error) {
  return catchErrors(error, [&] {
    ChunkWriter writer(*chunk);
    Snapshot *state = snapshot ? snapshot->snapshot.get() : nullptr;
    useOf(*handle->cabinet, state)->getRows(state, keyspace, rows, rowCount, writer);
  });
}

bool tdn_get_key(
  tdn_cabinet *handle, tdn_snapshot *snapshot, uint32_t keyspace, const uint8_t *key, size_t keyLength,
  tdn_chunk *chunk, tdn_error *error) {
  return catchErrors(error, [&] {
    ChunkWriter writer(*chunk);
    Snapshot *state = snapshot ? snapshot->snapshot.get() : nullptr;
    std::string_view view(reinterpret_cast<const char *>(key), keyLength);
    useOf(*handle->cabinet, state)->getKey(state, keyspace, view, writer);
  });
}

// MARK: Snapshots

tdn_snapshot *tdn_snapshot_open(tdn_cabinet *handle, tdn_error *error) {
  tdn_snapshot *opened = nullptr;
  catchErrors(error, [&] {
    Cabinet::Use session(*handle->cabinet);
    auto snapshot = std::make_unique<tdn_snapshot>();
    snapshot->cabinet = handle->cabinet;
    snapshot->snapshot = session->openSnapshot();
    opened = snapshot.release();
  });
  return opened;
}

uint64_t tdn_snapshot_commit_number(const tdn_snapshot *snapshot) { return snapshot->snapshot->commitNumber(); }

bool tdn_snapshot_count(tdn_snapshot *snapshot, uint32_t keyspace, uint64_t *count, tdn_error *error) {
  return catchErrors(error, [&] {
    *count = useOf(*snapshot->cabinet, snapshot->snapshot.get())->snapshotCount(*snapshot->snapshot, keyspace);
  });
}

bool tdn_snapshot_row_bound(tdn_snapshot *snapshot, uint32_t keyspace, uint64_t *bound, tdn_error *error) {
  return catchErrors(error, [&] {
    *bound = useOf(*snapshot->cabinet, snapshot->snapshot.get())->snapshotRowBound(*snapshot->snapshot, keyspace);
  });
}

void tdn_snapshot_close(tdn_snapshot *snapshot) {
  std::unique_ptr<tdn_snapshot> owned(snapshot);
  tdn_error ignored;
  // Close the snapshot while the session's files are open. If the session has ended, it has closed the snapshot.
  catchErrors(&ignored, [&] {
    Cabinet::Use session(*owned->cabinet);
    session->snapshots().close(owned->snapshot);
    owned->snapshot = nullptr;
  });
}

// MARK: Scans

namespace {

template <class MakeScan>
tdn_scan *openScan(
  tdn_snapshot *snapshot, uint32_t keyspace, bool isTree, bool isWhole, tdn_error *error, MakeScan makeScan) {
  tdn_scan *opened = nullptr;
  catchErrors(error, [&] {
    Snapshot &state = *snapshot->snapshot;
    Cabinet::Use session = useOf(*snapshot->cabinet, &state);
    Keyspace &scanned = session->keyspace(&state, keyspace, isTree);
    SnapshotPart &part = session->snapshotPart(state, scanned);
    auto scan = std::make_unique<tdn_scan>(
      tdn_scan{
        snapshot->cabinet, snapshot->snapshot, part.contents.keyGeneration != 0, makeScan(state, part, scanned),
        nullptr});
    if (isWhole) {
      scan->check = std::make_unique<DigestCheck>(
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

tdn_scan *tdn_scan_open(tdn_snapshot *snapshot, uint32_t keyspace, tdn_error *error) {
  return openScan(snapshot, keyspace, false, true, error, [](Snapshot &state, SnapshotPart &part, Keyspace &scanned) {
    return HashScan(state, part, scanned.hasRows());
  });
}

tdn_scan *tdn_range_open(
  tdn_snapshot *snapshot, uint32_t keyspace, const uint8_t *lower, size_t lowerLength, const uint8_t *upper,
  size_t upperLength, bool descending, tdn_error *error) {
  const bool isWhole = !lower && !upper;
  return openScan(snapshot, keyspace, true, isWhole, error, [&](Snapshot &state, SnapshotPart &part, Keyspace &) {
    return TreeScan(state, part, {bound(lower, lowerLength), bound(upper, upperLength), descending});
  });
}

bool tdn_estimate_range(
  tdn_cabinet *handle, tdn_snapshot *snapshot, uint32_t keyspace, const uint8_t *lower, size_t lowerLength,
  const uint8_t *upper, size_t upperLength, uint64_t *count, tdn_error *error) {
  return catchErrors(error, [&] {
    Snapshot *state = snapshot ? snapshot->snapshot.get() : nullptr;
    const KeyRange range{bound(lower, lowerLength), bound(upper, upperLength), false};
    *count = useOf(*handle->cabinet, state)->estimateRange(state, keyspace, range);
  });
}

bool tdn_scan_next(tdn_scan *scan, tdn_chunk *chunk, tdn_error *error) {
  return catchErrors(error, [&] {
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
      // Skipped records are missing from the sum, so it cannot be compared.
      if (scan->check) scan->check->giveUp();
      throw;
    }
    if (scan->check) scan->check->add(*chunk);
  });
}

void tdn_scan_close(tdn_scan *scan) { delete scan; }
