// Random ids for the commits that the engine makes itself. Session, Rebuilding and InPlaceCompaction use them. Any
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <random>

namespace todana {

inline std::array<uint8_t, 16> randomID() {
  thread_local std::mt19937_64 generator([] {
    std::random_device device;
    return static_cast<uint64_t>(device()) << 32 | device();
  }());
  std::array<uint8_t, 16> id;
  for (uint8_t &byte : id) byte = static_cast<uint8_t>(generator());
  return id;
}

}  // namespace todana
