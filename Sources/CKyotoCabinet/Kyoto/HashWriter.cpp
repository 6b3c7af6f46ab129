#include "HashWriter.h"

namespace todana {

namespace {

using FreeBlock = kyotocabinet::PagedHashDB::FreeBlock;

constexpr int64_t kCountOffset = 32;
constexpr size_t kNextRow = 48 - kCountOffset;  // within the fields from the count on

class Putting : public kyotocabinet::DB::Visitor {
 public:
  Putting(const char *value, size_t length) : value_(value), length_(length) {}

 private:
  const char *visit_full(const char *, size_t, const char *, size_t, size_t *length) override {
    *length = length_;
    return value_;
  }
  const char *visit_empty(const char *, size_t, size_t *length) override {
    *length = length_;
    return value_;
  }

  const char *value_;
  size_t length_;
};

class Removing : public kyotocabinet::DB::Visitor {
  const char *visit_full(const char *, size_t, const char *, size_t, size_t *) override { return REMOVE; }
};

}  // namespace

void HashWriter::begin(const HashFile &file, FreeBlockPool &pool) {
  hash_ = &file;
  pool_ = &pool;
  port_.file = file.file().get();
  port_.failure = nullptr;
  if (!db_.load_meta()) throwFailure();
  db_.calc_meta();
  if (!pool.isLoaded) loadPool();
  db_.fbp_.swap(pool.blocks);
}

void HashWriter::end(uint64_t nextRow) {
  char fields[kHashHeaderSize - kCountOffset];
  if (!port_.file->read(kCountOffset, fields, sizeof(fields))) throwFailure();
  char changed[sizeof(fields)];
  std::memcpy(changed, fields, sizeof(fields));
  writeBigEndian64(changed, recordCount());
  writeBigEndian64(changed + 8, static_cast<uint64_t>(fileEnd()));
  uint64_t storedRow;
  std::memcpy(&storedRow, changed + kNextRow, 8);
  nextRow = std::max(nextRow, storedRow);
  std::memcpy(changed + kNextRow, &nextRow, 8);
  // Not stock `dump_auto_meta`, which copies bytes behind the fields it fills.
  if (std::memcmp(fields, changed, sizeof(fields)) != 0) port_.file->write(kCountOffset, changed, sizeof(changed));
  db_.fbp_.swap(pool_->blocks);
  hash_ = nullptr;
}

void HashWriter::abandon() {
  if (!hash_) return;
  db_.fbp_.clear();
  pool_->forget();
  hash_ = nullptr;
}

void HashWriter::put(
  const char *key, size_t keyLength, HashFile::Place place, const char *value, size_t valueLength) {
  if (!db_.fbp_.empty()) checkFreeBlock(keyLength, valueLength);
  // Stock code takes a null value for "leave it as it is".
  Putting visitor(value ? value : "", valueLength);
  if (!db_.accept_impl(key, keyLength, &visitor, place.bucket, place.pivot, false)) throwFailure();
}

void HashWriter::remove(const char *key, size_t keyLength, HashFile::Place place) {
  Removing visitor;
  if (!db_.accept_impl(key, keyLength, &visitor, place.bucket, place.pivot, false)) throwFailure();
}

void HashWriter::storePool(const HashFile &file, FreeBlockPool &pool) {
  if (!pool.isLoaded || pool.blocks.empty()) return;
  begin(file, pool);
  if (!db_.dump_free_blocks()) throwFailure();
  end(0);
  pool.forget();
}

void HashWriter::loadPool() {
  std::vector<HashFile::FreeRange> ranges = hash_->storedFreeBlocks();
  for (const HashFile::FreeRange &range : ranges) {
    pool_->blocks.insert(FreeBlock{range.offset, static_cast<size_t>(range.size)});
  }
  if (!ranges.empty() && !db_.dump_empty_free_blocks()) throwFailure();
  pool_->isLoaded = true;
}

// Looks at the block that stock code is going to put the record into, if it needs a new place.
void HashWriter::checkFreeBlock(size_t keyLength, size_t valueLength) {
  size_t size = db_.calc_record_size(keyLength, valueLength);
  size += db_.calc_record_padding(size);
  auto candidate = db_.fbp_.upper_bound(FreeBlock{INT64_MAX, size});
  // A full pool lets its smallest block go when the old place of the record joins it: then the second one is taken.
  for (int i = 0; i < 2 && candidate != db_.fbp_.end(); i++, ++candidate) {
    hash_->checkFreeBlock({candidate->off, static_cast<int64_t>(candidate->rsiz)});
  }
}

void HashWriter::throwFailure() {
  port_.rethrowFailure();
  hash_->damaged(std::string("Kyoto Cabinet says: ") + db_.error().message(), 0);
}

}  // namespace todana
