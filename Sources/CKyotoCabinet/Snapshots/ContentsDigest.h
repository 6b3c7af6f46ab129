// How a structure's contents are known again as a whole: how many records there are, and the XOR of a term for each. A
// record that was taken away, put back or added behind the store's back is found when all of them are read.
//
// docs/formats/sealed-envelope.md, "States". For encrypted stores only. The terms are MACs, and the sum stands sealed: nobody
// without the keys can tell which records would add up to it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../CSealing/Keys/KeyRing.h"
#include "../../CSealing/Primitives/BlockMac.h"

namespace todana {

struct ContentsState {
  static constexpr size_t kDigestSize = 16;

  uint64_t count = 0;
  std::array<uint8_t, kDigestSize> digest{};

  bool operator==(const ContentsState &other) const { return count == other.count && digest == other.digest; }
  bool operator!=(const ContentsState &other) const { return !(*this == other); }
};

// Adds records to a sum, and takes them out: the same thing. Used by one thread at a time.
class ContentsDigest {
 public:
  using Sum = std::array<uint8_t, ContentsState::kDigestSize>;

  ContentsDigest(const KeyRing &ring, uint32_t structure);

  void toggleRow(uint64_t row, uint64_t token);
  void toggleKey(std::string_view key, uint64_t token);
  // Of a tree, whose values have no tokens.
  void toggleEntry(std::string_view key, std::string_view value);

  // What was toggled since the last time.
  Sum take();

 private:
  static constexpr size_t kBlocks = 256;

  void addMessage(const std::vector<uint8_t> &message);
  void flush();

  BlockMac mac_;
  std::vector<uint8_t> blocks_;  // of rows, for one call of the cipher
  Sum sum_{};
};

}  // namespace todana
