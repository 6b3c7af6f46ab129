#include "DictionaryReader.h"

#include <algorithm>

namespace todana::text {

void Fences::read(StreamReader &stream, uint64_t pageCount) {
  // A fence has two bytes at least.
  if (stream.streamSize() > UINT32_MAX || pageCount > stream.streamSize() / 2) throw Damaged();
  const Bytes all = stream.readAll();
  Input input(all.data(), all.size());
  starts_.reserve(pageCount + 1);
  bytes_.reserve(all.size());
  starts_.push_back(0);
  for (uint64_t page = 0; page < pageCount; page++) {
    const size_t size = input.varint(kLongestKey);
    const uint8_t *const key = input.take(size);
    bytes_.insert(bytes_.end(), key, key + size);
    starts_.push_back(static_cast<uint32_t>(bytes_.size()));
    if (page > 0 && !((*this)[page - 1] < (*this)[page])) throw Damaged();
  }
  if (!input.isAtEnd()) throw Damaged();
}

size_t Fences::page(Key key) const {
  size_t low = 0, high = pageCount();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if ((*this)[middle] <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? 0 : low - 1;
}

bool DictionaryCursor::seek(Key key) {
  if (fences_.pageCount() == 0) return false;
  openPage(fences_.page(key));
  while (next()) {
    if (!(this->key() < key)) return true;
  }
  return false;
}

bool DictionaryCursor::next() {
  while (left_ == 0) {
    if (page_ >= fences_.pageCount()) return false;
    openPage(page_);
  }
  readTerm();
  left_--;
  return true;
}

void DictionaryCursor::openPage(size_t page) {
  std::memcpy(bytes_, pages_.page(page), kPageSize);
  left_ = bytes_[0] | static_cast<size_t>(bytes_[1]) << 8;
  offset_ = 2;
  keySize_ = 0;
  page_ = page + 1;
}

void DictionaryCursor::readTerm() {
  Input input(bytes_ + offset_, kPageSize - offset_);
  const size_t shared = input.varint(keySize_);
  const size_t more = input.varint(kLongestKey - shared);
  const uint8_t *const suffix = input.take(more);
  // The order is required, so that the merging of segments ends.
  const bool isGreater =
    shared == keySize_ ? more > 0 : more > 0 && suffix[0] > static_cast<uint8_t>(key_[shared]);
  if (!isGreater) throw Damaged();
  std::memcpy(key_ + shared, suffix, more);
  keySize_ = shared + more;
  documentCount_ = static_cast<uint32_t>(input.varint(UINT32_MAX));
  offset_ = kPageSize - input.left();
  documents_ = readList();
  positions_ = shape(static_cast<uint8_t>(key_[0]), keepsPositions_).hasPositions ? readList() : RawList();
}

DictionaryCursor::RawList DictionaryCursor::readList() {
  Input input(bytes_ + offset_, kPageSize - offset_);
  const uint64_t head = input.varint();
  RawList list;
  list.size = head >> 1;
  list.isInStream = (head & 1) != 0;
  if (list.isInStream) {
    list.address = input.varint();
  } else {
    list.bytes = input.take(list.size);
  }
  offset_ = kPageSize - input.left();
  return list;
}

TermEntry DictionaryCursor::entry() const {
  TermEntry entry;
  entry.documentCount = documentCount_;
  entry.documents = copy(documents_);
  entry.positions = copy(positions_);
  return entry;
}

ListBytes DictionaryCursor::copy(const RawList &list) {
  ListBytes bytes;
  bytes.isInStream = list.isInStream;
  bytes.address = list.address;
  bytes.size = list.size;
  if (!list.isInStream) bytes.bytes.assign(list.bytes, list.bytes + list.size);
  return bytes;
}

}  // namespace todana::text
