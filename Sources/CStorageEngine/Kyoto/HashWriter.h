// The writer of hash files. It makes the common changes itself, in the way of stock Kyoto Cabinet code. For other
// changes it calls stock functions that take no locks.
//
// Common changes are a record that does not grow, and a record that goes to the end of the file. The reader has already
// walked the chain, so the bytes are written to the place that stock code would choose, without walking it again.
//
// One object serves all files, one after another. A stock HashDB is heavy: 1,024 locks, and one of the 1,024
// thread-specific keys of a process. The caller excludes all other threads, inside FileGroup::commit's `apply` or
// because the file is a building file.
#pragma once

#include <memory>

#include "HashFile.h"
#include "PagedKyoto.h"

namespace todana {

// The free blocks of one file that new records may use. Keyspace, Catalog, KeyspaceLoader and Rebuilding own one; the
// thread that writes the file uses it. Kyoto Cabinet keeps the list in memory while a file is open, and in the file
// otherwise. After an interrupted session, an old list in the file would point to live records.
struct FreeBlockPool {
  kyotocabinet::PagedHashDB::FBP blocks;
  bool isLoaded = false;  // loaded from the file, whose own pool is now empty

  // Discards the blocks after a rollback: they may not be free, and the file's own pool may be back.
  void forget() {
    blocks.clear();
    isLoaded = false;
  }
};

// The changes of one file between `begin` and `end`. CommitState, KeyspaceLoader and Rebuilding own one. The keyspace
// writers, TreeWriter, Catalog, the rebuild sources and InPlaceCompaction write with it.
//
// One thread at a time. The writer of CommitState belongs to the committing thread.
class HashWriter {
 public:
  HashWriter() { db_.file_.attach(&port_); }

  // Begins changes of a file. If this is its first change in the session, loads the file's free-block pool and empties
  // it in the file.
  void begin(const HashFile &file, FreeBlockPool &pool);
  // Stores the header if it has changed. Raises its next row id to `nextRow` if that is larger.
  void end(uint64_t nextRow);
  // Ends the changes after a failure, before the content is rolled back.
  void abandon();

  // Puts a record after HashFile::find has walked the key's chain. `existing`: the record that was found, or null.
  // `chain`: the place where the walk ended.
  void put(
    const char *key, size_t keyLength, HashFile::Place place, const HashBlock *existing,
    const HashFile::ChainEnd &chain, const char *value, size_t valueLength);
  // Puts a record. Walks the chain itself.
  void put(const char *key, size_t keyLength, HashFile::Place place, const char *value, size_t valueLength);
  // Removes a record after HashFile::find has walked the key's chain, and HashFile::checkRemoval has checked it.
  void remove(const char *key, size_t keyLength, HashFile::Place place);
  // Overwrites bytes of a record's value.
  void overwrite(int64_t offset, std::string_view bytes) { port_.file->write(offset, bytes.data(), bytes.size()); }

  // -- For the compaction of a file in place
  // Writes a record again at `target`, at or before its offset, and pads it to `size`. The bytes there must belong to
  // no other block. `link`: the offset of the address that leads to it (HashFile::ChainEnd).
  void move(const HashBlock &record, int64_t link, int64_t target, int64_t size);
  // Makes a range one free block, which new records do not use yet.
  void writeFreeBlock(int64_t offset, int64_t size);
  // Lets new records use a free block.
  void offerFreeBlock(int64_t offset, int64_t size) { db_.insert_free_block(offset, static_cast<size_t>(size)); }
  // Stops new records from using the free blocks of a range.
  void withdrawFreeBlocks(int64_t start, int64_t end) { db_.trim_free_blocks(start, end); }
  // Cuts the file at `end`, a multiple of the page size and the end of a block.
  void cut(int64_t end);

  // Returns the counts of packed rows that `end` will store.
  const PackedRows &packedRows() const { return packedRows_; }
  void setPackedRows(PackedRows packedRows) { packedRows_ = packedRows; }
  void addSurplusRows(int64_t difference) {
    packedRows_.exist = true;
    packedRows_.surplus += static_cast<uint64_t>(difference);
  }

  // Writes the pool into the file for stock tools and the next session.
  void storePool(const HashFile &file, FreeBlockPool &pool);

  int64_t fileEnd() const { return db_.lsiz_.get(); }
  uint64_t recordCount() const { return static_cast<uint64_t>(db_.count_.get()); }
  const HashFile *current() const { return hash_; }

 private:
  void append(
    const char *key, size_t keyLength, HashFile::Place place, const HashBlock *existing,
    const HashFile::ChainEnd &chain, const char *value, size_t valueLength);
  void writeRecord(
    int64_t offset, int64_t padding, int64_t left, int64_t right, const char *key, size_t keyLength,
    const char *value, size_t valueLength);
  void writeAddress(int64_t offset, int64_t address);
  bool goesToEnd(int64_t size, const HashBlock *existing, const char *value, size_t valueLength) const;
  bool isSimilar(const HashBlock &existing, const char *value, size_t valueLength) const;
  bool fitsFreeBlock(int64_t size) const;
  void putWithStockCode(
    const char *key, size_t keyLength, HashFile::Place place, const char *value, size_t valueLength);
  void loadPool();
  void checkFreeBlock(size_t keyLength, size_t valueLength);
  [[noreturn]] void throwFailure();

  FilePort port_;
  kyotocabinet::PagedHashDB db_;
  const HashFile *hash_ = nullptr;
  FreeBlockPool *pool_ = nullptr;
  PackedRows packedRows_;
  std::string moved_;  // key and value of a moved record whose old and new place overlap
};

}  // namespace todana
