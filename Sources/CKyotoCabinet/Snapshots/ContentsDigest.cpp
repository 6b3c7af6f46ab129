#include "ContentsDigest.h"

#include <cstring>

namespace todana {

namespace {

constexpr size_t kBlockSize = BlockMac::kBlockSize;

void append(std::vector<uint8_t> &message, std::string_view bytes) {
  message.insert(message.end(), bytes.begin(), bytes.end());
}

void append(std::vector<uint8_t> &message, uint64_t number) {
  for (int index = 0; index < 8; index++) message.push_back(static_cast<uint8_t>(number >> 8 * index));
}

}  // namespace

ContentsDigest::ContentsDigest(const KeyRing &ring, uint32_t structure) : mac_(ring.digestKey(structure)) {
  blocks_.reserve(kBlocks * kBlockSize);
}

void ContentsDigest::toggleRow(uint64_t row, uint64_t token) {
  const size_t offset = blocks_.size();
  blocks_.resize(offset + kBlockSize);
  std::memcpy(&blocks_[offset], &row, 8);
  std::memcpy(&blocks_[offset + 8], &token, 8);
  if (blocks_.size() == kBlocks * kBlockSize) flush();
}

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
  uint8_t term[kBlockSize];
  mac_.mac({padded.data(), padded.size()}, term);
  for (size_t index = 0; index < kBlockSize; index++) sum_[index] ^= term[index];
}

void ContentsDigest::flush() {
  if (blocks_.empty()) return;
  mac_.macEach(blocks_.data(), blocks_.size() / kBlockSize);
  uint64_t sum[2], term[2];
  std::memcpy(sum, sum_.data(), sizeof sum);
  for (size_t offset = 0; offset < blocks_.size(); offset += kBlockSize) {
    std::memcpy(term, &blocks_[offset], sizeof term);
    sum[0] ^= term[0];
    sum[1] ^= term[1];
  }
  std::memcpy(sum_.data(), sum, sizeof sum);
  blocks_.clear();
}

ContentsDigest::Sum ContentsDigest::take() {
  flush();
  const Sum sum = sum_;
  sum_ = {};
  return sum;
}

}  // namespace todana
