// What the keyspaces of a cabinet hold, in short.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace todana::simulation {

// The same for the same records, in whatever order.
struct Digest {
  uint64_t count = 0;
  uint64_t sum = 0;

  void add(uint64_t record) { count++, sum += record; }
  void remove(uint64_t record) { count--, sum -= record; }
  bool operator==(const Digest &other) const { return count == other.count && sum == other.sum; }
};

using State = std::map<std::string, Digest>;  // by the keyspaces' names; those that hold nothing may be left out

// Of one record.
uint64_t hashOf(std::string_view key, std::string_view value);
bool isSame(const State &left, const State &right);

}  // namespace todana::simulation
