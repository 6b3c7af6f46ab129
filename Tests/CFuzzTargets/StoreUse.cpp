#include "StoreUse.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "SampleStore.h"

namespace todana::fuzzing {

namespace {

// More steps than any scan of a sample takes to reach its end.
constexpr int kMostSteps = 20000;

// Checks that a failure has a known code and a message.
void check(bool isDone, const tdn_error &error) {
  if (isDone) return;
  if (error.code < TDN_IO || error.code > TDN_LAST_CODE) found("a failure has the code " + std::to_string(error.code));
  if (error.message[0] == 0 || std::memchr(error.message, 0, sizeof error.message) == nullptr) {
    found("a failure has no message");
  }
}

struct Keyspace {
  uint32_t id;
  int32_t kind;
};

// Memory that is reused for one read after another.
class Chunk {
 public:
  explicit Chunk(bool isSmall) : bytes_(isSmall ? 300 : 1 << 14), slices_(isSmall ? 3 : 100) {}

  tdn_chunk *emptied() {
    chunk_ = {};
    chunk_.bytes = bytes_.data();
    chunk_.byte_capacity = bytes_.size();
    chunk_.slices = slices_.data();
    chunk_.slice_capacity = slices_.size();
    return &chunk_;
  }

  // Makes room for the record that did not fit. Returns false if there was enough room.
  bool grow() {
    if (chunk_.needed <= bytes_.size()) return false;
    // No record can be larger than its file.
    if (chunk_.needed > 16 << 20) found("a read asks for " + std::to_string(chunk_.needed) + " bytes");
    bytes_.resize(chunk_.needed);
    return true;
  }

  // Checks that the chunk is not overfull, and that each slice has a valid status and lies within the chunk.
  void checkSlices() const {
    if (chunk_.byte_count > bytes_.size() || chunk_.slice_count > slices_.size()) found("a chunk is overfull");
    for (size_t index = 0; index < chunk_.slice_count; index++) {
      const tdn_slice &slice = slices_[index];
      if (slice.status < TDN_FOUND || slice.status > TDN_RECORD_DAMAGED) found("a slice has no status");
      if (slice.status != TDN_FOUND) continue;
      if (slice.offset > chunk_.byte_count || slice.length > chunk_.byte_count - slice.offset ||
          slice.key_length > slice.offset) {
        found("a slice lies outside of its chunk");
      }
    }
  }

  size_t sliceCount() const { return chunk_.slice_count; }

 private:
  std::vector<uint8_t> bytes_;
  std::vector<tdn_slice> slices_;
  tdn_chunk chunk_{};
};

class Session {
 public:
  Session(tdn_cabinet *cabinet, const Use &use) : cabinet_(cabinet), use_(use), chunk_(use.readsInSmallSteps) {}

  void run() {
    findKeyspaces();
    tdn_snapshot *held = use_.holdsSnapshot ? openSnapshot() : nullptr;
    readEverything(held);
    if (use_.commits) {
      for (uint32_t round = 0; round < 2; round++) commit(round);
      commitExpectations();
      load();
      drop();
    }
    if (use_.checkpoints) check(tdn_checkpoint(cabinet_, &error_), error_);
    if (held) scanAll(held);
    if (use_.reopens) {
      tdn_open_report report;
      check(tdn_reopen(cabinet_, &report, &error_), error_);
    }
    if (use_.commits || use_.reopens) readEverything(nullptr);
    if (held) tdn_snapshot_close(held);
    verify();
    tdn_statistics statistics;
    check(tdn_get_statistics(cabinet_, &statistics, &error_), error_);
  }

 private:
  void findKeyspaces() {
    auto visit = [](void *context, const tdn_keyspace *keyspace) {
      static_cast<std::vector<Keyspace> *>(context)->push_back({keyspace->id, keyspace->kind});
    };
    check(tdn_keyspaces(cabinet_, &keyspaces_, visit, &error_), error_);
    for (const char *name : {"Song", "buffers", "index"}) {
      for (int32_t kind : {TDN_KEYSPACE_ROWS, TDN_KEYSPACE_KEYS, TDN_KEYSPACE_TREE}) {
        uint32_t id;
        const uint8_t *bytes = reinterpret_cast<const uint8_t *>(name);
        check(tdn_keyspace_named(cabinet_, kind, bytes, std::strlen(name), &id, &error_), error_);
      }
    }
  }

  tdn_snapshot *openSnapshot() {
    tdn_snapshot *snapshot = tdn_snapshot_open(cabinet_, &error_);
    check(snapshot, error_);
    return snapshot;
  }

  void readEverything(tdn_snapshot *held) {
    if (held) readSingly(held);
    readSingly(nullptr);
    if (tdn_snapshot *snapshot = held ? held : openSnapshot()) {
      scanAll(snapshot);
      if (!held) tdn_snapshot_close(snapshot);
    }
    uint8_t id[16] = {2};
    uint64_t number;
    check(tdn_outcome(cabinet_, id, &number, &error_), error_);
  }

  void readSingly(tdn_snapshot *snapshot) {
    for (const Keyspace &keyspace : keyspaces_) {
      uint64_t count;
      check(
        snapshot ? tdn_snapshot_count(snapshot, keyspace.id, &count, &error_)
                 : tdn_count(cabinet_, keyspace.id, &count, &error_),
        error_);
      if (keyspace.kind == TDN_KEYSPACE_ROWS) {
        uint64_t first;
        check(tdn_reserve_rows(cabinet_, keyspace.id, 3, &first, &error_), error_);
        if (snapshot) check(tdn_snapshot_row_bound(snapshot, keyspace.id, &first, &error_), error_);
        readRows(snapshot, keyspace.id);
      } else {
        for (int number = 0; number < kSampleKeyCount; number += 3) readKey(snapshot, keyspace.id, sampleKey(number));
      }
    }
  }

  void readRows(tdn_snapshot *snapshot, uint32_t keyspace) {
    std::vector<uint64_t> rows{0, UINT64_MAX, 2000};
    for (uint64_t row = 1; row <= 41; row++) rows.push_back(row);
    for (uint64_t row = 100; row <= 1100; row += 50) rows.push_back(row);
    for (size_t next = 0; next < rows.size();) {
      const bool isRead = tdn_get_rows(
        cabinet_, snapshot, keyspace, rows.data() + next, rows.size() - next, chunk_.emptied(), &error_);
      check(isRead, error_);
      if (!isRead) return;
      chunk_.checkSlices();
      // Skips a row that is too large for the chunk.
      next += std::max<size_t>(chunk_.sliceCount(), 1);
    }
  }

  void readKey(tdn_snapshot *snapshot, uint32_t keyspace, const std::string &key) {
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(key.data());
    const bool isRead = tdn_get_key(cabinet_, snapshot, keyspace, bytes, key.size(), chunk_.emptied(), &error_);
    check(isRead, error_);
    if (isRead) chunk_.checkSlices();
  }

  void scanAll(tdn_snapshot *snapshot) {
    const std::string lower = sampleKey(10), upper = sampleKey(40);
    auto range = [&](uint32_t keyspace, bool isBounded, bool isDescending) {
      return tdn_range_open(
        snapshot, keyspace, isBounded ? reinterpret_cast<const uint8_t *>(lower.data()) : nullptr, lower.size(),
        isBounded ? reinterpret_cast<const uint8_t *>(upper.data()) : nullptr, upper.size(), isDescending, &error_);
    };
    for (const Keyspace &keyspace : keyspaces_) {
      if (keyspace.kind != TDN_KEYSPACE_TREE) {
        scan(tdn_scan_open(snapshot, keyspace.id, &error_), true);
        continue;
      }
      uint64_t count;
      const auto *lowest = reinterpret_cast<const uint8_t *>(lower.data());
      const auto *highest = reinterpret_cast<const uint8_t *>(upper.data());
      check(
        tdn_estimate_range(
          cabinet_, snapshot, keyspace.id, lowest, lower.size(), highest, upper.size(), &count, &error_),
        error_);
      for (bool isDescending : {false, true}) {
        scan(range(keyspace.id, false, isDescending), false);
        scan(range(keyspace.id, true, isDescending), false);
      }
    }
  }

  // Scans to the end. `goesOn`: the scan can continue after damage, as in a hash file.
  void scan(tdn_scan *scan, bool goesOn) {
    check(scan, error_);
    if (!scan) return;
    for (int steps = 0;; steps++) {
      if (steps == kMostSteps) found("a scan does not end");
      if (!tdn_scan_next(scan, chunk_.emptied(), &error_)) {
        check(false, error_);
        if (goesOn && error_.code == TDN_DAMAGED) continue;
        break;
      }
      chunk_.checkSlices();
      if (chunk_.sliceCount() == 0 && !chunk_.grow()) break;
    }
    tdn_scan_close(scan);
  }

  void commit(uint32_t round) {
    static const std::string content(9000, 'v');
    std::vector<tdn_change> changes;
    std::string bytes;
    auto add = [&](uint32_t keyspace, uint64_t row, const std::string &key, size_t number) {
      tdn_change change{};
      change.keyspace = keyspace;
      change.kind = (number + round) % 4 == 3 ? TDN_REMOVE : TDN_PUT;
      change.key = key.empty() ? row : bytes.size();
      change.key_length = static_cast<uint16_t>(key.size());
      bytes += key;
      change.value = bytes.size();
      const size_t limit = use_.putsLargeValues ? content.size() : 600;
      if (change.kind == TDN_PUT) change.value_length = (number * 37 + round * 11) % limit;
      bytes += content.substr(0, change.value_length);
      changes.push_back(change);
    };
    // Commits to each keyspace separately, so that damage to one does not keep others from being changed.
    for (const Keyspace &keyspace : keyspaces_) {
      changes.clear();
      bytes.clear();
      if (keyspace.kind == TDN_KEYSPACE_ROWS) {
        for (uint64_t row = 1 + round; row <= 2000; row += row < 40 ? 1 + round : 50) add(keyspace.id, row, {}, row);
      } else {
        for (int number = static_cast<int>(round); number < kSampleKeyCount; number += 2) {
          add(keyspace.id, 0, sampleKey(number), static_cast<size_t>(number));
        }
      }
      commit(changes, bytes, static_cast<uint8_t>(round));
      // The removal of an absent record refuses the batch, so the puts are committed again alone.
      changes.erase(
        std::remove_if(changes.begin(), changes.end(), [](const tdn_change &change) { return change.kind != TDN_PUT; }),
        changes.end());
      commit(changes, bytes, static_cast<uint8_t>(round));
    }
  }

  // Commits checks of present records, and puts of keys that begin with the number of the commit.
  void commitExpectations() {
    const std::string key = sampleKey(10);
    for (const Keyspace &keyspace : keyspaces_) {
      std::vector<tdn_change> changes;
      tdn_change change{};
      change.keyspace = keyspace.id;
      if (keyspace.kind == TDN_KEYSPACE_TREE) {
        change.kind = TDN_CHECK_RANGE;
        change.expectation = TDN_EXPECT_AT_MOST;
        change.expected = 1000;
        change.key_length = static_cast<uint16_t>(key.size());
        changes.push_back(change);
        change.kind = TDN_PUT_NUMBERED;
        change.expectation = TDN_EXPECT_ABSENT;
        change.expected = 0;
      } else {
        change.kind = TDN_CHECK;
        change.expectation = TDN_EXPECT_PRESENT;
        change.key = keyspace.kind == TDN_KEYSPACE_ROWS ? 1 : 0;
        change.key_length = keyspace.kind == TDN_KEYSPACE_ROWS ? 0 : static_cast<uint16_t>(key.size());
      }
      changes.push_back(change);
      commit(changes, key, 3);
    }
  }

  // Loads a keyspace of each kind separately, and adopts it.
  void load() {
    const std::string name = "loaded", keys = "abc";
    for (int32_t kind : {TDN_KEYSPACE_ROWS, TDN_KEYSPACE_KEYS, TDN_KEYSPACE_TREE}) {
      uint32_t id = 0;
      tdn_loader *const loader = tdn_loader_open(
        cabinet_, kind, reinterpret_cast<const uint8_t *>(name.data()), name.size(), 3, &id, &error_);
      check(loader, error_);
      if (!loader) continue;
      std::vector<tdn_change> changes;
      for (uint64_t number = 0; number < keys.size(); number++) {
        tdn_change change{};
        change.keyspace = id;
        change.kind = TDN_PUT;
        change.key = kind == TDN_KEYSPACE_ROWS ? number + 1 : number;
        change.key_length = kind == TDN_KEYSPACE_ROWS ? 0 : 1;
        change.value_length = keys.size();
        changes.push_back(change);
      }
      tdn_batch batch{};
      batch.changes = changes.data();
      batch.change_count = changes.size();
      batch.bytes = reinterpret_cast<const uint8_t *>(keys.data());
      batch.byte_count = keys.size();
      bool isLoaded = tdn_loader_append(loader, &batch, &error_);
      check(isLoaded, error_);
      isLoaded = tdn_loader_finish(loader, &error_);
      check(isLoaded, error_);
      tdn_change adoption{};
      adoption.keyspace = id;
      adoption.kind = TDN_ADOPT;
      if (isLoaded) commit({adoption}, {}, 4);
      tdn_loader_close(loader);
      keyspaces_.push_back({id, kind});
    }
  }

  // Drops one keyspace of each kind. Later uses of it are refused.
  void drop() {
    for (int32_t kind : {TDN_KEYSPACE_ROWS, TDN_KEYSPACE_KEYS, TDN_KEYSPACE_TREE}) {
      const auto found = std::find_if(
        keyspaces_.begin(), keyspaces_.end(), [&](const Keyspace &keyspace) { return keyspace.kind == kind; });
      if (found == keyspaces_.end()) continue;
      tdn_change change{};
      change.keyspace = found->id;
      change.kind = TDN_DROP;
      commit({change}, {}, 5);
    }
  }

  void commit(const std::vector<tdn_change> &changes, const std::string &bytes, uint8_t id) {
    tdn_batch batch{};
    batch.id[0] = 9;
    batch.id[1] = id;
    batch.changes = changes.data();
    batch.change_count = changes.size();
    batch.bytes = reinterpret_cast<const uint8_t *>(bytes.data());
    batch.byte_count = bytes.size();
    tdn_commit_result result{};
    check(tdn_commit(cabinet_, &batch, TDN_FULL, &result, &error_), error_);
    tdn_commit_result_free(&result);
  }

  void verify() {
    std::vector<uint32_t> ids{0};
    for (const Keyspace &keyspace : keyspaces_) ids.push_back(keyspace.id);
    for (uint32_t id : ids) {
      uint64_t page = 0;
      for (int steps = 0;; steps++) {
        if (steps == kMostSteps) found("verifying does not end");
        tdn_verified_part part{};
        const bool isDone = tdn_verify_part(cabinet_, id, page, &part, &error_);
        check(isDone, error_);
        if (!isDone || part.page_count == 0) break;
        page += part.page_count;
      }
    }
  }

  tdn_cabinet *const cabinet_;
  const Use use_;
  std::vector<Keyspace> keyspaces_;
  Chunk chunk_;
  tdn_error error_{};
};

}  // namespace

bool use(const std::string &path, const Use &use) {
  tdn_options options;
  tdn_options_init(&options);
  options.access = use.isReadOnly ? TDN_ACCESS_READ : TDN_ACCESS_WRITE_EXISTING;
  options.strict = use.isStrict;
  options.sector_size = 512;
  options.program = "fuzzer";
  tdn_open_report report;
  tdn_error error{};
  tdn_cabinet *cabinet = tdn_open(path.c_str(), &options, &report, &error);
  check(cabinet, error);
  if (!cabinet) return false;
  Session(cabinet, use).run();
  check(tdn_close(cabinet, &error), error);
  return true;
}

}  // namespace todana::fuzzing
