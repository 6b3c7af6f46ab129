// A caller's batch, checked and divided into runs, each of one keyspace.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "../Keyspaces/FileTable.h"
#include "../Keyspaces/StorageKey.h"
#include "../include/StorageEngineCommit.h"

namespace todana {

constexpr size_t kMaximumKeyLength = 1000;
// The largest content, with the bytes that an envelope adds.
constexpr uint64_t kMaximumValueLength = (1ULL << 30) + 64;
constexpr size_t kMaximumNameLength = 1000;
// The length of a commit number at the start of a key.
constexpr size_t kCommitNumberLength = 8;

// The changes of one keyspace within a batch. Part of its Batch.
struct BatchRun {
  Keyspace *keyspace;
  size_t first;
  size_t end;
  size_t putCount;
  uint64_t lastRow;  // the largest id of a row that it puts, or 0
  bool isCleared;    // its first change removes all records
  bool isPlain;      // puts and removals only
  bool hasChanges;   // at least one change is not a check
  bool isNumbered;   // some keys begin with the commit's number
  bool isDropped;    // its only change drops the keyspace
  bool isAdopted;    // its only change adopts the keyspace
};

// A checked batch. Session makes one before the commit; KeyspaceLoader makes one for each call. BatchCommit and the
// keyspace writers read it, and replace keys, values and changes in it. The caller's bytes are not changed.
//
// One thread, without a lock.
class Batch {
 public:
  // Checks a batch. Throws Failure: TDN_INVALID, TDN_LIMIT or TDN_NO_KEYSPACE.
  Batch(const tdn_batch &batch, FileTable &table);
  // Checks a batch for one keyspace that is being loaded. Throws Failure: TDN_INVALID or TDN_LIMIT.
  Batch(const tdn_batch &batch, Keyspace &loading);

  const uint8_t *id() const { return batch_.id; }
  std::vector<BatchRun> &runs() { return runs_; }
  const std::vector<BatchRun> &runs() const { return runs_; }

  const tdn_change &change(size_t index) const { return changes_[index]; }
  const char *bytes(uint64_t offset) const { return reinterpret_cast<const char *>(batch_.bytes) + offset; }
  const char *value(const tdn_change &change) const {
    return change.value & kReplaced ? replaced_[change.value & ~kReplaced].data() : bytes(change.value);
  }

  std::string_view key(const tdn_change &change) const {
    const char *start = change.key & kReplaced ? replaced_[change.key & ~kReplaced].data() : bytes(change.key);
    return {start, change.key_length};
  }

  // Returns the key of a TDN_PUT_NUMBERED change in the commit with this number.
  std::string numberedKey(const tdn_change &change, uint64_t commitNumber) const;
  // Converts TDN_PUT_NUMBERED changes to TDN_PUT with the keys that `numberedKey` returns, and sorts the run's puts and
  // removals by key. This changes the indexes of changes.
  void numberKeys(BatchRun &run, uint64_t commitNumber);
  // Replaces a change's value. The caller's bytes are not changed.
  void replaceValue(size_t index, std::string value);

  // The tokens of records that are replaced or erased without an expected token, by the indexes of their changes.
  using OldTokens = std::unordered_map<size_t, uint64_t>;
  // Reduces a run to puts and removals, and moves these to its start. Called after every expectation was met. Erasures
  // of existing records become removals, and the tokens of replaced records become expectations.
  void simplify(BatchRun &run, const OldTokens &oldTokens);

 private:
  template <class FindKeyspace> void divide(FindKeyspace find);
  bool isSimplePut(const tdn_change &change) const;
  void checkChange(const BatchRun &run, size_t index) const;
  void checkKind(const BatchRun &run, size_t index) const;
  void checkKey(const BatchRun &run, size_t index) const;
  void checkRange(const BatchRun &run, size_t index) const;
  void checkRemovedRanges(const BatchRun &run) const;
  void checkNumbered(const BatchRun &run, size_t index) const;
  void checkValue(const BatchRun &run, size_t index) const;
  void makeOwn();
  bool isWithinBytes(uint64_t offset, uint64_t length) const {
    return length <= batch_.byte_count && offset <= batch_.byte_count - length;
  }
  void checkOrder(const BatchRun &run, size_t index) const;
  [[noreturn]] void invalid(const char *what, size_t index) const;

  // Marks the offset of a replaced key or value. No batch is long enough to have such an offset.
  static constexpr uint64_t kReplaced = 1ULL << 63;

  const tdn_batch batch_;
  const tdn_change *changes_;
  std::vector<tdn_change> ownChanges_;
  std::vector<std::string> replaced_;
  std::vector<BatchRun> runs_;
};

// The stored key of one change. It may refer to its own bytes, so it must not be copied or moved. NameKeyspaceWriter
// makes it; one thread, inside `apply`.
class ChangeKey {
 public:
  // `ring`: null in a plain store.
  ChangeKey(const Batch &batch, const KeyRing *ring, const Keyspace &keyspace, const tdn_change &change)
      : row_(keyspace.hasRows() ? change.key : 0),
        key_(ring, keyspace.contents.keyGeneration, keyspace, name(batch, keyspace, change)),
        view_(keyspace.hasRows() ? std::string_view(row_.bytes, row_.length) : key_.view()) {}
  ChangeKey(const ChangeKey &) = delete;
  ChangeKey &operator=(const ChangeKey &) = delete;

  std::string_view view() const { return view_; }
  const char *data() const { return view_.data(); }
  size_t length() const { return view_.size(); }

 private:
  static std::string_view name(const Batch &batch, const Keyspace &keyspace, const tdn_change &change) {
    return keyspace.hasRows() ? std::string_view() : batch.key(change);
  }

  RowKey row_;
  StorageKey key_;
  std::string_view view_;
};

}  // namespace todana
