// One Kyoto Cabinet hash file, for reading: our own reader of the stock format.
//
// It checks whatever it reads (offsets, lengths, magic bytes, circles in a chain, page checksums) before it uses it,
// allocates nothing and hands out borrowed bytes, so a damaged or hostile file makes it throw and nothing worse. Stock
// code is let at a chain only after this reader has walked it.
//
// It keeps nothing that a commit changes, so one object serves all threads. Its methods must be called inside
// FileGroup::commit's `apply` or under a FileGroup::ReadLock; what they hand out is valid that long.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "../../CSealing/SealerPool.h"
#include "../Disk/Failure.h"
#include "../Disk/Mutex.h"
#include "../Pages/DataFile.h"
#include "HashFormat.h"
#include "RecordCheck.h"

namespace todana {

class HashRecovery;

// A record or a free block as it is in the file. Its pointers are valid as long as the lock under which it was read.
struct HashBlock {
  int64_t offset = 0;
  int64_t size = 0;  // the next block stands right behind
  bool isFree = false;
  int64_t left = 0;  // offsets of the children in the bucket's tree; 0: none
  int64_t right = 0;
  const char *key = nullptr;
  size_t keyLength = 0;
  const char *value = nullptr;
  size_t valueLength = 0;
};

// The counts of packed rows in a hash file's header (RowPack.h). A value.
struct PackedRows {
  bool exist = false;    // there may be packs: there have been
  uint64_t surplus = 0;  // by how many rows exceed records

  bool operator==(const PackedRows &other) const { return exist == other.exist && surplus == other.surplus; }
};

// The reader of one open file. FileTable, Catalog, Commit, KeyspaceLoader and Rebuilding make it; RecordReader, the
// scans, the keyspace writers and the rebuild sources read with it.
//
// Any thread, under the lock that the comment above names; its mutex guards only the making of its HashRecovery. A
// building file belongs to the thread that fills it.
class HashFile {
 public:
  // A key's place in this file.
  struct Place {
    int64_t bucket;
    uint32_t pivot;
  };

  // The parameters that a hash file is made with. The alignment and the number of free blocks remembered are Kyoto
  // Cabinet's defaults.
  struct Shape {
    uint8_t type = kHashFileType;
    uint8_t alignmentPower = 3;
    uint8_t freeBlockPower = 10;
    int64_t bucketCount = 4093;  // 24 KiB: many classes have few rows
    std::shared_ptr<SealerPool> sealers;  // see `sealers()`
  };

  // Checks the header. Throws Failure(TDN_DAMAGED) where the file is not `keyspace`'s or not as we write it.
  HashFile(
    std::shared_ptr<DataFile> file, uint32_t keyspace, uint8_t type = kHashFileType,
    std::shared_ptr<SealerPool> sealers = nullptr, std::shared_ptr<const RecordCheck> check = nullptr);
  ~HashFile();

  // Writes header, pool and buckets of an empty hash file into an empty data file.
  static std::shared_ptr<const HashFile> create(std::shared_ptr<DataFile> file, uint32_t keyspace, const Shape &shape);
  // Returns the bucket count for a file of `recordCount` records, with room to grow by half.
  static int64_t bucketCountFor(uint64_t recordCount);
  // Returns a prime number, because consecutive row ids must not meet in few buckets.
  static int64_t bucketCountAtLeast(uint64_t count);

  const std::shared_ptr<DataFile> &file() const { return file_; }
  uint32_t number() const { return file_->number(); }
  uint32_t keyspace() const { return keyspace_; }
  // Returns the sealers of a tree's nodes in an encrypted store; null elsewhere. Records come sealed already.
  SealerPool *sealers() const { return sealers_.get(); }
  // Returns the check that tells sound records from damaged ones on damaged pages; null if records have no checks of
  // their own.
  const RecordCheck *recordCheck() const { return check_.get(); }
  // Finds records where the methods below throw Failure(TDN_DAMAGED). Any thread may call it under a read lock.
  HashRecovery &recovery() const;
  int64_t bucketCount() const { return bucketCount_; }
  int alignmentPower() const { return alignmentPower_; }
  int64_t poolSize() const { return bucketStart_ - kHashHeaderSize; }
  int64_t recordStart() const { return recordStart_; }

  // Returns the end of the newest state in the file.
  int64_t end() const { return file_->size(); }
  uint64_t count() const { return readBigEndian64(header() + 32); }
  uint64_t nextRow() const;
  // Returns the counts of rows that share a record.
  PackedRows packedRows() const;
  uint64_t rowCount() const { return count() + packedRows().surplus; }

  // Returns the bytes that a record takes: header, lengths, key, value, and the padding that aligns them.
  int64_t recordSize(uint64_t keyLength, uint64_t valueLength) const;

  Place place(const char *key, size_t length) const {
    KeyHash hash = hashKey(key, length);
    return {static_cast<int64_t>(hash.bucket % static_cast<uint64_t>(bucketCount_)), hash.pivot};
  }

  // Tests whether a key belongs to the left of a record of its bucket that has another key.
  static bool goesLeft(std::string_view key, Place place, std::string_view other) {
    const uint32_t pivot = hashKey(other.data(), other.size()).pivot;
    if (place.pivot != pivot) return place.pivot > pivot;
    return key.size() != other.size() ? key.size() > other.size() : key > other;
  }

  int64_t bucketOffset(int64_t bucket) const { return bucketStart_ + bucket * kAddressSize; }

  // For batches: first the bucket of every key, then the first record of every bucket, then `find`.
  void prefetchBucket(Place place) const { __builtin_prefetch(file_->at(bucketOffset(place.bucket))); }
  void prefetchRecord(Place place) const;

  // The least size of values whose memory is released after reading: many of them would fill memory.
  static constexpr size_t kLargeValue = 16 << 10;

  // The place where a chain was left: at the record, or where a new record's address belongs.
  struct ChainEnd {
    int64_t top = 0;   // the bucket's first record; 0: the bucket is empty
    int64_t link = 0;  // offset of the address that leads to the record, or of the empty one that a new record takes
    bool wentLeft = false;
    bool wentRight = false;
  };

  // Finds a record. Returns false if there is none. The record's value is not verified yet.
  bool findKey(const char *key, size_t length, Place place, HashBlock &record, ChainEnd *end = nullptr) const;
  // Finds a record with a verified value. Returns false if there is none.
  bool find(const char *key, size_t length, Place place, HashBlock &record, ChainEnd *end = nullptr) const {
    if (!findKey(key, length, place, record, end)) return false;
    verifyValue(record);
    return true;
  }
  bool find(const char *key, size_t length, HashBlock &record) const {
    return find(key, length, place(key, length), record);
  }

  // Checks the records that stock code reads to remove this record from its tree.
  void checkRemoval(const HashBlock &record) const;

  struct FreeRange {
    int64_t offset;
    int64_t size;
  };
  // The free-block pool in the file, in the order of offsets. The ranges lie within the record section and do not
  // overlap, but whether there really is a free block is for `checkFreeBlock` to say, when one is used.
  std::vector<FreeRange> storedFreeBlocks() const;
  void checkFreeBlock(const FreeRange &range) const;

  // Reads the header of the block at `offset`, which must be an aligned offset below `end()`. What it points to lies
  // within the file, but its pages have not been verified: see `verifyKey`.
  void readBlock(int64_t offset, HashBlock &block) const;
  // Reads the header of a block from up to `kLongestHead` bytes, which may be a copy, of those at `offset`. Returns
  // what is wrong with it, or null; then the block lies within the file.
  static constexpr int64_t kLongestHead = kRecordHeaderSize + 2 * 9;
  const char *parseBlock(const char *bytes, int64_t offset, HashBlock &block) const;
  void verifyKey(const HashBlock &block) const {
    if (block.keyLength > 0) file_->verify(block.key - file_->at(0), static_cast<int64_t>(block.keyLength));
  }
  void verifyValue(const HashBlock &block) const { verifyBytes({block.value, block.valueLength}); }
  // Releases the memory of a large value, after it was copied.
  void releaseValue(std::string_view value) const {
    if (value.size() >= kLargeValue) file_->releaseRead(offset(value.data()), static_cast<int64_t>(value.size()));
  }
  // Returns the offset of mapped bytes in the file.
  int64_t offset(const char *bytes) const { return bytes - file_->at(0); }
  // Verifies the pages of bytes within the file.
  void verifyBytes(std::string_view bytes) const {
    if (!bytes.empty()) file_->verify(bytes.data() - file_->at(0), static_cast<int64_t>(bytes.size()));
  }

  [[noreturn]] void damaged(const std::string &what, int64_t offset) const;

 private:
  const char *header() const {
    if (!file_->isSound(0, kHashHeaderSize)) return recoveredHeader();
    return file_->at(0);
  }
  const char *recoveredHeader() const;
  template <class Verify>
  const char *parse(const char *bytes, int64_t offset, HashBlock &block, Verify verify) const;
  int64_t firstRecord(int64_t bucket) const {
    int64_t offset = bucketOffset(bucket);
    file_->verify(offset, kAddressSize);
    file_->noteLook(offset);
    return static_cast<int64_t>(readAddress(file_->at(offset)) << alignmentPower_);
  }

  const std::shared_ptr<DataFile> file_;
  const uint32_t keyspace_;
  const std::shared_ptr<SealerPool> sealers_;
  const std::shared_ptr<const RecordCheck> check_;
  mutable Mutex recoveryMutex_;
  mutable std::unique_ptr<HashRecovery> recovery_ TDN_GUARDED_BY(recoveryMutex_);  // null until damage is met
  int alignmentPower_ = 0;
  int64_t bucketCount_ = 0;
  int64_t bucketStart_ = 0;
  int64_t recordStart_ = 0;
};

// Returns the last 8 bytes of a value as a little-endian number; shorter values are padded with zeros.
inline uint64_t recordToken(const char *value, size_t length) {
  uint64_t token = 0;
  if (length >= 8) {
    std::memcpy(&token, value + length - 8, 8);
  } else if (length > 0) {
    std::memcpy(&token, value, length);
  }
  return token;
}

}  // namespace todana
