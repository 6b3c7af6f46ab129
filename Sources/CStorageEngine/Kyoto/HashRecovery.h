// The reader of a hash file with damaged pages, used after a strict read has thrown TDN_DAMAGED.
//
// Bytes are *certain* if their page matches its checksum, or has only one wrong bit, so that the original bytes are
// known (`DataFile::repairedCopy`). Headers, keys and links are read in their original form. A value that contains the
// wrong bit counts as damaged. On a page with more wrong bits, a record counts if its own check is right (RecordCheck).
//
// Chains are followed only over certain headers and links. If a part of a bucket's chain is uncertain, the records
// after that part are found by one pass over all blocks of the file, and remembered. A place counts as a block only if
// it follows another block, or if a certain link leads to it. Remains of old records in free space therefore never
// count.
//
// Any thread may use it under a FileGroup::ReadLock, as may the committing thread inside `apply`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../Disk/Mutex.h"
#include "HashFile.h"
#include "RowPack.h"

namespace todana {

// The recovery of one file. HashFile makes it at the first damage. RecordReader, HashScan and RowKeyspaceWriter use it;
// PageAcceptance makes its own.
//
// Any thread, inside `apply` or under a ReadLock. Its mutex guards the remembered records, and is held while the file
// is searched for them.
class HashRecovery {
 public:
  explicit HashRecovery(const HashFile &file) : file_(file) {}

  // A block whose header could be read.
  struct Block : HashBlock {
    std::string keyBytes;  // the key as it was written if `isCertain`; `key` may be damaged
    bool isCertain = false;
  };
  // Reads a block. Returns false if there is none at the offset, or its header cannot be read.
  bool readBlock(int64_t offset, Block &block) const;
  // Tests whether a block really starts at its offset, with the key that was read.
  bool isPlaced(const Block &block) const;
  // Tests whether the block ends as its header says, so that the next one starts there.
  bool hasRightEnd(const Block &block) const;
  // Tests the end of the block with `starts`, the result of `reachableRecords`. None of these records may start within
  // the block.
  bool hasRightEnd(const Block &block, const std::vector<int64_t> &starts) const;
  // Tests whether none of `starts` lies within the block after its first byte.
  static bool isClear(const Block &block, const std::vector<int64_t> &starts);
  // Returns the offset from which to search for the next block if the end of `block` is wrong. No block starts before
  // it.
  int64_t leastEnd(const Block &block, const std::vector<int64_t> &starts) const;

  // Tests whether all bytes of a value are as they were written.
  bool isSound(uint64_t row, std::string_view value) const;
  bool isSound(std::string_view key, std::string_view value) const;

  // The pack in a record. Valid as long as this object and the mapping.
  struct Pack : RowPack {
    char head[RowPack::kLongestHead];
    bool isCertain = false;
  };
  bool openPack(const Block &record, Pack &pack) const;

  // The result of a search. `damaged`: such a record may exist, but none can be read.
  enum class Outcome { absent, found, damaged };
  // Finds a record by its key. Ignores records from the offset `end` on.
  Outcome findKey(std::string_view key, int64_t end, std::string_view &value);
  Outcome findRow(uint64_t row, int64_t end, std::string_view &value);
  Outcome findPackedRow(uint64_t row, int64_t end, std::string_view &value);
  // Finds a row in the pack of a record that was found. `isOpen`: the result of `openPack` for it.
  Outcome findRow(uint64_t row, const Pack &pack, bool isOpen, int64_t end, std::string_view &value);
  // Searches for the record's key. Returns `absent` if the search finds no record, or another one.
  Outcome findAgain(const Block &record, int64_t end);

  // Returns the offsets of all records to which buckets lead over certain bytes only, in ascending order.
  std::vector<int64_t> reachableRecords() const;
  // Returns the first offset of `reachable` in `offset`..<`end` at which a block can be read; `end` if there is none.
  int64_t nextBlock(int64_t offset, int64_t end, const std::vector<int64_t> &reachable) const;

 private:
  enum class Way { absent, found, unknown };

  bool isKnown(int64_t offset, int64_t byteCount) const;
  bool isLink(int64_t offset) const;
  bool copy(int64_t offset, int64_t byteCount, char *bytes) const;
  bool isSoundByPages(std::string_view value, bool &isKnown) const;
  bool hasSoundValue(const Block &record) const;
  bool hasRightSlots(uint64_t number, const Pack &pack) const;
  bool isFollowed(const Block &block) const;
  bool hasRightPadding(const Block &record) const;
  bool readLink(int64_t offset, int64_t &link) const;
  Way walk(std::string_view key, Block &found) const;
  Outcome find(std::string_view key, int64_t end, Block &record);
  template <class Visit> bool visitChain(int64_t bucket, Visit visit) const;
  void search() TDN_REQUIRES(mutex_);

  // The maximum number of remembered records. Rows beyond it count as damaged.
  static constexpr size_t kMostStrays = 1 << 20;

  const HashFile &file_;
  Mutex mutex_;
  // The records of the buckets whose chains are not entirely certain; no value before the search for them.
  struct Strays {
    std::unordered_map<std::string, int64_t> offsets;
    bool isWhole = true;      // nothing was skipped
    uint32_t repairCount = 0;  // the file's repair count at the time of the search
  };
  std::optional<Strays> strays_ TDN_GUARDED_BY(mutex_);
};

}  // namespace todana
