#include "KeyspaceDigest.h"

#include <cstring>

namespace todana {

namespace {

constexpr size_t kBlockSize = KeyspaceDigestMac::kBlockSize;

void append(std::vector<uint8_t> &message, std::string_view bytes) {
  message.insert(message.end(), bytes.begin(), bytes.end());
}

void append(std::vector<uint8_t> &message, uint64_t number) {
  uint8_t bytes[8];
  std::memcpy(bytes, &number, sizeof bytes);
  message.insert(message.end(), bytes, bytes + sizeof bytes);
}

}  // namespace

void KeyspaceDigest::toggleKey(std::string_view key, uint64_t token) {
  message_.clear();
  append(message_, key.size());
  append(message_, token);
  append(message_, key);
  addMessage();
}

void KeyspaceDigest::toggleEntry(std::string_view key, std::string_view value) {
  message_.clear();
  append(message_, key.size());
  append(message_, value.size());
  append(message_, key);
  append(message_, value);
  addMessage();
}

// Pads the message with zeros, and adds its term. The message begins with the lengths of its parts, so that different
// records have different messages.
void KeyspaceDigest::addMessage() {
  message_.resize((message_.size() + kBlockSize - 1) / kBlockSize * kBlockSize);
  const Sum term = mac_.value(message_.data(), message_.size());
  add(term.data());
}

void KeyspaceDigest::flush() {
  if (blockCount_ == 0) return;
  mac_.replaceEach(reinterpret_cast<uint8_t *>(blocks_.data()), blockCount_);
  for (size_t index = 0; index < blockCount_; index++) add(&blocks_[index]);
  blockCount_ = 0;
}

KeyspaceDigest::Sum KeyspaceDigest::take() {
  flush();
  Sum sum;
  std::memcpy(sum.data(), sum_.data(), sum.size());
  sum_ = {};
  return sum;
}

}  // namespace todana
