// Digests of the keyspaces of a cabinet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace todana::simulation {

// A digest of a set of records, independent of their order.
struct Digest {
  uint64_t count = 0;
  uint64_t sum = 0;

  void add(uint64_t record) { count++, sum += record; }
  void remove(uint64_t record) { count--, sum -= record; }
  bool operator==(const Digest &other) const { return count == other.count && sum == other.sum; }
};

using State = std::map<std::string, Digest>;  // by keyspace name; empty keyspaces may be missing

// Returns the hash of one record.
uint64_t hashOf(std::string_view key, std::string_view value);
bool isSame(const State &left, const State &right);

}  // namespace todana::simulation
