#include "ContentsDigest.h"

#include <cstring>

namespace todana {

namespace {

constexpr size_t kBlockSize = ContentsMac::kBlockSize;

void append(std::vector<uint8_t> &message, std::string_view bytes) {
  message.insert(message.end(), bytes.begin(), bytes.end());
}

void append(std::vector<uint8_t> &message, uint64_t number) {
  for (int index = 0; index < 8; index++) message.push_back(static_cast<uint8_t>(number >> 8 * index));
}

}  // namespace

void ContentsDigest::toggleKey(std::string_view key, uint64_t token) {
  std::vector<uint8_t> message;
  append(message, key.size());
  append(message, token);
  append(message, key);
  addMessage(message);
}

void ContentsDigest::toggleEntry(std::string_view key, std::string_view value) {
  std::vector<uint8_t> message;
  append(message, key.size());
  append(message, value.size());
  append(message, key);
  append(message, value);
  addMessage(message);
}

// Filled up with zeros: the lengths stand in front, so no two messages become the same.
void ContentsDigest::addMessage(const std::vector<uint8_t> &message) {
  std::vector<uint8_t> padded(message);
  padded.resize((message.size() + kBlockSize - 1) / kBlockSize * kBlockSize);
  const Sum term = mac_.value(padded.data(), padded.size());
  add(term.data());
}

void ContentsDigest::flush() {
  if (blockCount_ == 0) return;
  mac_.replaceEach(reinterpret_cast<uint8_t *>(blocks_.data()), blockCount_);
  for (size_t index = 0; index < blockCount_; index++) add(&blocks_[index]);
  blockCount_ = 0;
}

ContentsDigest::Sum ContentsDigest::take() {
  flush();
  Sum sum;
  std::memcpy(sum.data(), sum_.data(), sum.size());
  sum_ = {};
  return sum;
}

}  // namespace todana
