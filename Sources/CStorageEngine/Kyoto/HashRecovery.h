// The reader of a hash file some of whose pages do not match their checksums, after a strict read has thrown
// TDN_DAMAGED.
//
// A page with one wrong bit leads to its records as it was written (`DataFile::repairedCopy`); a value that has the bit
// is damaged. On a page with more wrong bits a record counts if its own check is right (RecordCheck), and links count
// only where they agree with the records that they lead to. Records that no certain chain leads to are looked for once,
// by going through the file from block to block, and remembered. A place counts as a block only where it follows
// another one, or a certain link leads to it: what free space has kept of old records is never taken for one.
//
// Any thread may use it under a FileGroup::ReadLock, and the committing thread inside `apply`.
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

// The recovery of one file, made by HashFile at the first damage. RecordReader, HashScan and RowKeyspaceWriter ask it;
// PageAcceptance makes its own.
//
// Any thread, under the lock that the comment above names; its mutex guards the remembered records, and is held while
// they are searched.
class HashRecovery {
 public:
  explicit HashRecovery(const HashFile &file) : file_(file) {}

  // A block whose head could be read.
  struct Block : HashBlock {
    std::string keyBytes;  // the key as it was written, if `isCertain`; `key` may be damaged
    bool isCertain = false;
  };
  // Reads a block. Returns false if there is none at the offset, or its head cannot be read.
  bool readBlock(int64_t offset, Block &block) const;
  // Tests whether a block that was read really starts there, and has the key in its head.
  bool isPlaced(const Block &block) const;
  // Tests whether such a block ends where its head says, so that the next one starts there.
  bool hasRightEnd(const Block &block) const;
  // Tests the end with `starts`, the offsets of all records that certain chains lead to: none of them lies in a block.
  bool hasRightEnd(const Block &block, const std::vector<int64_t> &starts) const;
  // Tests whether none of `starts` lies within the block, after its first byte.
  static bool isClear(const Block &block, const std::vector<int64_t> &starts);
  // Returns the offset from which to search the next block, if the end of `block` is not right: no block starts before.
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

  // `damaged`: there may be such a record, but none that can be read.
  enum class Outcome { absent, found, damaged };
  // Finds a record by its key. Records from the offset `end` on do not count.
  Outcome findKey(std::string_view key, int64_t end, std::string_view &value);
  Outcome findRow(uint64_t row, int64_t end, std::string_view &value);
  Outcome findPackedRow(uint64_t row, int64_t end, std::string_view &value);
  // A row of the pack in a record that was found; `isOpen`: what `openPack` returned for it.
  Outcome findRow(uint64_t row, const Pack &pack, bool isOpen, int64_t end, std::string_view &value);
  // Tests whether a search for the record's key finds this record: `absent` if it finds none, or another one.
  Outcome findAgain(const Block &record, int64_t end);

  // Returns the offsets of all records that certain chains lead to, in order.
  std::vector<int64_t> reachableRecords() const;
  // Returns the first offset of `reachable`, from `offset` on, where a block can be read; `end` if there is none.
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

  // More are not remembered: rows beyond them count as damaged.
  static constexpr size_t kMostStrays = 1 << 20;

  const HashFile &file_;
  Mutex mutex_;
  // The records of the buckets whose chains are not certain. Nothing until they are looked for.
  struct Strays {
    std::unordered_map<std::string, int64_t> offsets;
    bool isWhole = true;      // nothing was passed over
    uint32_t repairCount = 0;  // of the file when they were looked for
  };
  std::optional<Strays> strays_ TDN_GUARDED_BY(mutex_);
};

}  // namespace todana
