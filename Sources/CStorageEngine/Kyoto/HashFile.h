// The reader of one Kyoto Cabinet hash file in the stock format, in our own code.
//
// It checks all data before using them: offsets, lengths, magic bytes, cycles in a chain, page checksums. It allocates
// nothing and returns borrowed bytes. A damaged or hostile file thus makes it throw, and nothing worse. Stock code
// touches a chain only after this reader has walked it.
//
// It stores nothing that a commit changes, so one object serves all threads. Its methods must be called inside
// FileGroup::commit's `apply` or under a FileGroup::ReadLock. Their results are valid until `apply` ends or the
// ReadLock is released.
#pragma once

#include <memory>
#include <string>
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

// A record or a free block in the file. Its pointers are valid while the lock under which it was read is held.
struct HashBlock {
  int64_t offset = 0;
  int64_t size = 0;  // the next block starts directly after it
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
  bool exist = false;    // there are packs, or have been
  uint64_t surplus = 0;  // number of rows minus number of records

  bool operator==(const PackedRows &other) const { return exist == other.exist && surplus == other.surplus; }
};

// The reader of one open file. FileTable, Catalog, Commit, KeyspaceLoader and Rebuilding make it. RecordReader, the
// scans, the keyspace writers and the rebuild sources read with it.
//
// Any thread, inside `apply` or under a ReadLock. Its mutex guards only the creation of its HashRecovery. A building
// file belongs to the thread that fills it.
class HashFile {
 public:
  // A key's place in this file.
  struct Place {
    int64_t bucket;
    uint32_t pivot;
  };

  // The parameters that a hash file is created with. The defaults of the alignment and the free-block pool are Kyoto
  // Cabinet's.
  struct Shape {
    uint8_t type = kHashFileType;
    uint8_t alignmentPower = 3;
    uint8_t freeBlockPower = 10;
    int64_t bucketCount = 4093;  // 24 KiB: many classes have few rows
    std::shared_ptr<SealerPool> sealers;  // see `sealers()`
  };

  // Checks the header. Throws Failure(TDN_DAMAGED) if the file does not belong to `keyspace` or is not in our format.
  HashFile(
    std::shared_ptr<DataFile> file, uint32_t keyspace, uint8_t type = kHashFileType,
    std::shared_ptr<SealerPool> sealers = nullptr, std::shared_ptr<const RecordCheck> check = nullptr);
  ~HashFile();

  // Writes header, pool and buckets of an empty hash file into an empty data file.
  static std::shared_ptr<const HashFile> create(std::shared_ptr<DataFile> file, uint32_t keyspace, const Shape &shape);
  // Returns the bucket count for a file of `recordCount` records, with room to grow by half.
  static int64_t bucketCountFor(uint64_t recordCount);
  // Returns a prime number of at least `count`. With a prime number, consecutive row ids are spread over all buckets.
  static int64_t bucketCountAtLeast(uint64_t count);

  const std::shared_ptr<DataFile> &file() const { return file_; }
  uint32_t number() const { return file_->number(); }
  uint32_t keyspace() const { return keyspace_; }
  // Returns the sealers of a tree's nodes in an encrypted store; null otherwise. Other records are sealed by the
  // caller.
  SealerPool *sealers() const { return sealers_.get(); }
  // Returns the check that recognizes intact records on damaged pages; null if records have no checks of their own.
  const RecordCheck *recordCheck() const { return check_.get(); }
  // Returns the reader for use after a method below threw Failure(TDN_DAMAGED). Any thread may call it under a read
  // lock.
  HashRecovery &recovery() const;
  int64_t bucketCount() const { return bucketCount_; }
  int alignmentPower() const { return alignmentPower_; }
  int64_t poolSize() const { return bucketStart_ - kHashHeaderSize; }
  int64_t recordStart() const { return recordStart_; }

  // Returns the end of the newest state of the file.
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

  // Tests whether a key belongs to the left of a record of its bucket with another key.
  static bool goesLeft(std::string_view key, Place place, std::string_view other) {
    const uint32_t pivot = hashKey(other.data(), other.size()).pivot;
    if (place.pivot != pivot) return place.pivot > pivot;
    return key.size() != other.size() ? key.size() > other.size() : key > other;
  }

  int64_t bucketOffset(int64_t bucket) const { return bucketStart_ + bucket * kAddressSize; }

  // Prefetches a bucket. For a batch: first prefetch the bucket of every key, then the first record of every bucket,
  // then call `find`.
  void prefetchBucket(Place place) const { __builtin_prefetch(file_->at(bucketOffset(place.bucket))); }
  void prefetchRecord(Place place) const;

  // The minimum size of values whose memory is released after reading, because many of them would fill memory.
  static constexpr size_t kLargeValue = 16 << 10;

  // The place where a walk of a chain ended: at the record, or at the empty address in which the offset of a new record
  // is stored.
  struct ChainEnd {
    int64_t top = 0;   // offset of the bucket's first record; 0: the bucket is empty
    int64_t link = 0;  // offset of the address that leads to the record, or of the empty one for a new record
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

  // Checks the records that stock code reads when it removes this record from its tree.
  void checkRemoval(const HashBlock &record) const;

  struct FreeRange {
    int64_t offset;
    int64_t size;
  };
  // Returns the free-block pool of the file, ordered by offset. The ranges lie within the record section and do not
  // overlap. Before a range is used, `checkFreeBlock` must verify that a free block is there.
  std::vector<FreeRange> storedFreeBlocks() const;
  void checkFreeBlock(const FreeRange &range) const;

  // Reads the header of the block at `offset`, an aligned offset below `end()`. Key and value lie within the file, but
  // their pages are not verified yet: see `verifyKey`.
  void readBlock(int64_t offset, HashBlock &block) const;
  // Reads the header of a block from up to `kLongestHead` bytes, which are those at `offset` or a copy. Returns null if
  // the header is valid, and the block then lies within the file. Otherwise returns a description of the damage.
  static constexpr int64_t kLongestHead = kRecordHeaderSize + 2 * 9;
  const char *parseBlock(const char *bytes, int64_t offset, HashBlock &block) const;
  void verifyKey(const HashBlock &block) const {
    if (block.keyLength > 0) file_->verify(block.key - file_->at(0), static_cast<int64_t>(block.keyLength));
  }
  void verifyValue(const HashBlock &block) const { verifyBytes({block.value, block.valueLength}); }
  // Verifies a record's value, and appends it to `copy`. A large value is copied in pieces, and the mapped memory of each
  // piece is released.
  void copyValue(const HashBlock &block, std::string &copy) const;
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
