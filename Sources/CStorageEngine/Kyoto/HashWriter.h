// The writer of hash files. It makes the common changes itself, as stock Kyoto Cabinet code does, and the others with
// stock code below its locks.
//
// Common is a record that grows no larger, and one that goes to the end of the file: our reader has walked the chain by
// then, so the bytes are written where stock code would write them, without walking it again.
//
// One object serves all files, one after the other, because a stock HashDB is heavy (1,024 locks, and one of the 1,024
// thread-specific keys that a process has). The caller excludes all other threads: inside FileGroup::commit's `apply`,
// or on a building file.
#pragma once

#include <memory>

#include "HashFile.h"
#include "PagedKyoto.h"

namespace todana {

// The free blocks of one file that new records may be put into. Keyspace, Catalog, KeyspaceLoader and Rebuilding own
// one; the thread that writes the file uses it. Kyoto Cabinet keeps them in memory while a file is open and in the file
// while it is not: a copy in the file of an interrupted session would lead to live records.
struct FreeBlockPool {
  kyotocabinet::PagedHashDB::FBP blocks;
  bool isLoaded = false;  // taken from the file: the file's own pool has been emptied

  // Forgets the blocks after a rollback: they may not be free, and the file's pool may have come back.
  void forget() {
    blocks.clear();
    isLoaded = false;
  }
};

// The changes of one file between `begin` and `end`. CommitState, KeyspaceLoader and Rebuilding own one; the keyspace
// writers, TreeWriter, Catalog, the rebuild sources and InPlaceCompaction write with it.
//
// One thread at a time: that of CommitState belongs to the committing thread.
class HashWriter {
 public:
  HashWriter() { db_.file_.attach(&port_); }

  // Prepares changes of a file. The file's free-block pool is loaded and emptied in the file where that has not been
  // done in this session.
  void begin(const HashFile &file, FreeBlockPool &pool);
  // Stores the header where it has changed. `nextRow` goes into it where it is larger than what is there.
  void end(uint64_t nextRow);
  // Ends the changes after a failure: the content is about to be rolled back.
  void abandon();

  // The caller has walked the key's chain with HashFile::find; for a removal HashFile::checkRemoval, too. `existing`:
  // the record that was found, or null, and where the walk ended.
  void put(
    const char *key, size_t keyLength, HashFile::Place place, const HashBlock *existing,
    const HashFile::ChainEnd &chain, const char *value, size_t valueLength);
  // Walks the chain itself.
  void put(const char *key, size_t keyLength, HashFile::Place place, const char *value, size_t valueLength);
  void remove(const char *key, size_t keyLength, HashFile::Place place);
  // Overwrites bytes of a record's value.
  void overwrite(int64_t offset, std::string_view bytes) { port_.file->write(offset, bytes.data(), bytes.size()); }

  // -- For compacting a file in place
  // Writes a record again at `target`, at or before its offset, over bytes that belong to no other block, padded to
  // `size`. `link`: the offset of the address that leads to it (HashFile::ChainEnd).
  void move(const HashBlock &record, int64_t link, int64_t target, int64_t size);
  // Makes a range one free block, which new records are not put into.
  void writeFreeBlock(int64_t offset, int64_t size);
  // New records may be put into a free block.
  void offerFreeBlock(int64_t offset, int64_t size) { db_.insert_free_block(offset, static_cast<size_t>(size)); }
  // Free blocks of a range are not given to new records any more.
  void withdrawFreeBlocks(int64_t start, int64_t end) { db_.trim_free_blocks(start, end); }
  // Makes the file end at `end`, a multiple of the page size and the end of a block.
  void cut(int64_t end);

  // Returns the counts of packed rows that `end` stores.
  const PackedRows &packedRows() const { return packedRows_; }
  void setPackedRows(PackedRows packedRows) { packedRows_ = packedRows; }
  void addSurplusRows(int64_t difference) {
    packedRows_.exist = true;
    packedRows_.surplus += static_cast<uint64_t>(difference);
  }

  // Writes the pool into the file, where stock tools and the next session find it.
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
  std::string moved_;  // the key and value of a record, while both its places overlap
};

}  // namespace todana
