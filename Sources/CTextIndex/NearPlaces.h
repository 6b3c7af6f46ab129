// The test whether phrases are near each other, as `NEAR` of SQLite's FTS5 finds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace todana::text {

// `places` has the places of each phrase in ascending order, and `sizes` the number of its words. `distance` is the
// highest number of words between the end of a phrase and the beginning of the last one. As `NearPlaces` in Swift.
bool areNear(
  const std::vector<std::vector<uint32_t>> &places, const std::vector<size_t> &sizes, uint32_t distance);

}  // namespace todana::text
