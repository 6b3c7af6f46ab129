#include "CabinetState.h"

#include <algorithm>

#include "../../Sources/CStorageEngine/Disk/Checksum.h"

namespace todana::simulation {

uint64_t hashOf(std::string_view key, std::string_view value) {
  return checksum(value.data(), value.size(), checksum(key.data(), key.size(), 7));
}

bool isSame(const State &left, const State &right) {
  const auto has = [](const State &state, const State &other) {
    return std::all_of(other.begin(), other.end(), [&](const auto &entry) {
      const auto found = state.find(entry.first);
      return (found == state.end() ? Digest() : found->second) == entry.second;
    });
  };
  return has(left, right) && has(right, left);
}

}  // namespace todana::simulation
