#include "HashWriter.h"

namespace todana {

namespace {

using FreeBlock = kyotocabinet::PagedHashDB::FreeBlock;

// Offsets of the changing fields of a header, relative to the first one.
constexpr int64_t kChangingOffset = kPackedOffset;
constexpr size_t kCount = 32 - kChangingOffset;
constexpr size_t kSize = 40 - kChangingOffset;
constexpr size_t kNextRow = 48 - kChangingOffset;

// The size from which a record prefers the end of the file to a place within it.
constexpr int64_t kLargeRecord = 4 << 20;
// The most places for a large record that stay unused.
constexpr int kMostUnusedBlocks = 1;

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
  packedRows_ = file.packedRows();
}

void HashWriter::end(uint64_t nextRow) {
  char fields[kHashHeaderSize - kChangingOffset];
  if (!port_.file->read(kChangingOffset, fields, sizeof(fields))) throwFailure();
  char changed[sizeof(fields)];
  std::memcpy(changed, fields, sizeof(fields));
  changed[0] = packedRows_.exist;
  std::memcpy(changed + 1, &packedRows_.surplus, kPackedSize - 1);
  writeBigEndian64(changed + kCount, recordCount());
  writeBigEndian64(changed + kSize, static_cast<uint64_t>(fileEnd()));
  uint64_t storedRow;
  std::memcpy(&storedRow, changed + kNextRow, 8);
  nextRow = std::max(nextRow, storedRow);
  std::memcpy(changed + kNextRow, &nextRow, 8);
  // Stock `dump_auto_meta` is not used, because it also copies bytes after the fields that it fills.
  if (std::memcmp(fields, changed, sizeof(fields)) != 0) {
    port_.file->write(kChangingOffset, changed, sizeof(changed));
  }
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
  HashBlock record;
  HashFile::ChainEnd chain;
  bool exists = hash_->find(key, keyLength, place, record, &chain);
  put(key, keyLength, place, exists ? &record : nullptr, chain, value, valueLength);
}

void HashWriter::put(
  const char *key, size_t keyLength, HashFile::Place place, const HashBlock *existing,
  const HashFile::ChainEnd &chain, const char *value, size_t valueLength) {
  const int64_t size = static_cast<int64_t>(db_.calc_record_size(keyLength, valueLength));
  if (size >= kLargeRecord && goesToEnd(size, existing, value, valueLength)) {
    append(key, keyLength, place, existing, chain, value, valueLength);
  } else if (existing && size <= existing->size) {
    const int64_t padding = existing->size - size;
    // Stock code splits a record with more padding (`adjust_record`).
    if (padding > INT16_MAX || padding > existing->size / 2) {
      putWithStockCode(key, keyLength, place, value, valueLength);
    } else {
      writeRecord(existing->offset, padding, existing->left, existing->right, key, keyLength, value, valueLength);
    }
  } else if (fitsFreeBlock(size)) {
    putWithStockCode(key, keyLength, place, value, valueLength);
  } else {
    append(key, keyLength, place, existing, chain, value, valueLength);
  }
}

// Tests whether a large record is written at the end of the file although there is room elsewhere. New pages go to the
// main file at once, but changes of stored pages go to the log, and stay in memory until they are written back.
bool HashWriter::goesToEnd(int64_t size, const HashBlock *existing, const char *value, size_t valueLength) const {
  if (existing && size <= existing->size && isSimilar(*existing, value, valueLength)) return false;
  int fittingBlocks = existing && size <= existing->size ? 1 : 0;
  for (auto block = db_.fbp_.rbegin(); block != db_.fbp_.rend(); ++block) {
    if (block->rsiz < static_cast<size_t>(size) || ++fittingBlocks > kMostUnusedBlocks) break;
  }
  return fittingBlocks <= kMostUnusedBlocks;
}

// Tests whether most samples of a record's value stay as they are, so that few pages change.
bool HashWriter::isSimilar(const HashBlock &existing, const char *value, size_t valueLength) const {
  constexpr size_t kSamples = 64, kSampleSize = 64;
  const size_t length = std::min(existing.valueLength, valueLength);
  const DataFile &file = *port_.file;
  size_t sameCount = 0;
  for (size_t sample = 0; sample < kSamples && length >= kSamples * kSampleSize; sample++) {
    const size_t at = length / kSamples * sample;
    const int64_t offset = existing.value + at - file.at(0);
    sameCount += file.isSound(offset, kSampleSize) && std::memcmp(file.at(offset), value + at, kSampleSize) == 0;
    file.releaseRead(offset, kSampleSize);
  }
  return sameCount > kSamples / 2;
}

// Tests whether stock code would put a new record of this size into a free block.
bool HashWriter::fitsFreeBlock(int64_t size) const {
  if (db_.fbp_.empty()) return false;
  return db_.fbp_.rbegin()->rsiz >= static_cast<size_t>(size);
}

// Writes a record at the end of the file, either as a new one or in place of a smaller one.
void HashWriter::append(
  const char *key, size_t keyLength, HashFile::Place place, const HashBlock *existing, const HashFile::ChainEnd &chain,
  const char *value, size_t valueLength) {
  int64_t left = 0, right = 0, link = chain.link;
  if (existing) {
    left = existing->left;
    right = existing->right;
    char block[kFreeBlockHeaderSize];
    const size_t size = static_cast<size_t>(existing->size);
    if (!db_.write_free_block(existing->offset, size, block)) throwFailure();
    db_.insert_free_block(existing->offset, size);
    db_.frgcnt_ += 1;
  } else if (chain.top != 0 && chain.wentLeft != chain.wentRight) {
    // The record sorts before or after all others of its bucket, so it becomes the first one.
    (chain.wentLeft ? right : left) = chain.top;
    link = hash_->bucketOffset(place.bucket);
  }
  const int64_t size = static_cast<int64_t>(db_.calc_record_size(keyLength, valueLength));
  const int64_t padding = static_cast<int64_t>(db_.calc_record_padding(static_cast<size_t>(size)));
  const int64_t offset = db_.lsiz_.add(size + padding);
  writeRecord(offset, padding, left, right, key, keyLength, value, valueLength);
  db_.psiz_.secure_least(offset + size + padding);
  writeAddress(link, offset);
  if (!existing) db_.count_ += 1;
}

void HashWriter::writeRecord(
  int64_t offset, int64_t padding, int64_t left, int64_t right, const char *key, size_t keyLength, const char *value,
  size_t valueLength) {
  constexpr size_t kHeader = kRecordHeaderSize + 2 * 5;
  char bytes[4608];  // large enough for a pack of rows
  char *end = bytes;
  *end++ = static_cast<char>(padding < 0x100 ? kShortPaddingMagic : padding >> 8);
  *end++ = static_cast<char>(padding);
  const int power = hash_->alignmentPower();
  kyotocabinet::writefixnum(end, static_cast<uint64_t>(left >> power), kAddressSize);
  end += kAddressSize;
  kyotocabinet::writefixnum(end, static_cast<uint64_t>(right >> power), kAddressSize);
  end += kAddressSize;
  end += kyotocabinet::writevarnum(end, keyLength);
  end += kyotocabinet::writevarnum(end, valueLength);
  const bool isSmall = kHeader + keyLength + valueLength + static_cast<size_t>(padding) <= sizeof(bytes);
  auto put = [&](const char *from, size_t length) {
    if (length == 0) return;
    if (isSmall) {
      std::memcpy(end, from, length);
      end += length;
    } else {
      port_.file->write(offset, from, length);
      offset += static_cast<int64_t>(length);
    }
  };
  if (!isSmall) {
    // Write the parts separately, so that a large value is not copied.
    const int64_t wholeEnd = offset + (end - bytes) + static_cast<int64_t>(keyLength + valueLength) + padding;
    port_.file->grow(wholeEnd);
    port_.file->write(offset, bytes, static_cast<size_t>(end - bytes));
    offset += end - bytes;
  }
  put(key, keyLength);
  put(value, valueLength);
  static const char kPadding[1] = {static_cast<char>(kPaddingMagic)};
  static const char kZeros[256] = {};
  if (padding > 0) put(kPadding, 1);
  for (int64_t rest = padding - 1; rest > 0; rest -= static_cast<int64_t>(sizeof(kZeros))) {
    put(kZeros, static_cast<size_t>(std::min<int64_t>(rest, sizeof(kZeros))));
  }
  if (isSmall) port_.file->write(offset, bytes, static_cast<size_t>(end - bytes));
}

void HashWriter::writeAddress(int64_t offset, int64_t address) {
  char bytes[kAddressSize];
  kyotocabinet::writefixnum(bytes, static_cast<uint64_t>(address >> hash_->alignmentPower()), kAddressSize);
  port_.file->write(offset, bytes, sizeof(bytes));
}

void HashWriter::move(const HashBlock &record, int64_t link, int64_t target, int64_t size) {
  constexpr size_t kKeptCapacity = 1 << 20;
  moved_.assign(record.key, record.keyLength);
  moved_.append(record.value, record.valueLength);
  const int64_t content = static_cast<int64_t>(db_.calc_record_size(record.keyLength, record.valueLength));
  writeRecord(
    target, size - content, record.left, record.right, moved_.data(), record.keyLength,
    moved_.data() + record.keyLength, record.valueLength);
  writeAddress(link, target);
  if (moved_.capacity() > kKeptCapacity) moved_ = std::string();
}

void HashWriter::writeFreeBlock(int64_t offset, int64_t size) {
  char block[kFreeBlockHeaderSize];
  if (!db_.write_free_block(offset, static_cast<size_t>(size), block)) throwFailure();
}

void HashWriter::cut(int64_t end) {
  port_.file->cut(end);
  db_.lsiz_ = end;
  db_.psiz_ = end;
}

void HashWriter::putWithStockCode(
  const char *key, size_t keyLength, HashFile::Place place, const char *value, size_t valueLength) {
  if (!db_.fbp_.empty()) checkFreeBlock(keyLength, valueLength);
  // Stock code does not change the record if the value is null.
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

// Checks the free block that stock code is going to use, if the record needs a new place.
void HashWriter::checkFreeBlock(size_t keyLength, size_t valueLength) {
  size_t size = db_.calc_record_size(keyLength, valueLength);
  size += db_.calc_record_padding(size);
  auto candidate = db_.fbp_.upper_bound(FreeBlock{INT64_MAX, size});
  // A full pool drops its smallest block when the record's old place joins it. Then stock code takes the second one.
  for (int i = 0; i < 2 && candidate != db_.fbp_.end(); i++, ++candidate) {
    hash_->checkFreeBlock({candidate->off, static_cast<int64_t>(candidate->rsiz)});
  }
}

void HashWriter::throwFailure() {
  port_.rethrowFailure();
  hash_->damaged(std::string("Kyoto Cabinet reports: ") + db_.error().message(), 0);
}

}  // namespace todana
