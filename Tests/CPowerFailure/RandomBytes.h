// Random bytes, equal for equal seeds.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

namespace todana::simulation {

inline std::string randomBytes(std::mt19937_64 &random, size_t count) {
  std::string result(count, 0);
  for (size_t index = 0; index < count; index += 8) {
    const uint64_t value = random();
    std::memcpy(&result[index], &value, std::min<size_t>(8, count - index));
  }
  return result;
}

}  // namespace todana::simulation
