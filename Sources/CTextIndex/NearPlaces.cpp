#include "NearPlaces.h"

#include <algorithm>

namespace todana::text {

bool areNear(
  const std::vector<std::vector<uint32_t>> &places, const std::vector<size_t> &sizes, uint32_t distance) {
  for (const std::vector<uint32_t> &some : places) {
    if (some.empty()) return false;
  }
  std::vector<size_t> current(places.size());
  int64_t last = places[0][0];
  for (;;) {
    bool isMatch = true;
    for (size_t index = 0; index < places.size(); index++) {
      const int64_t least = last - static_cast<int64_t>(sizes[index]) - distance;
      size_t &place = current[index];
      if (places[index][place] >= least && places[index][place] <= last) continue;
      isMatch = false;
      while (places[index][place] < least) {
        if (++place == places[index].size()) return false;
      }
      last = std::max<int64_t>(last, places[index][place]);
    }
    if (isMatch) return true;
  }
}

}  // namespace todana::text
