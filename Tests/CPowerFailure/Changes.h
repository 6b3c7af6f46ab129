// A batch of changes, in the order that a cabinet wants.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "../../Sources/CStorageEngine/Pages/FileGroup.h"
#include "KeyedSession.h"

namespace todana::simulation {

struct Changes {
  struct Change {
    bool isPut;
    std::string value;
    bool mustBeAbsent = false;
  };
  void put(uint32_t keyspace, const std::string &key, std::string value) {
    ofKeyspaces[keyspace][key] = {true, std::move(value)};
  }
  void remove(uint32_t keyspace, const std::string &key) { ofKeyspaces[keyspace][key] = {false, {}}; }
  void clear(uint32_t keyspace) {
    ofKeyspaces[keyspace].clear();
    cleared.insert(keyspace);
  }

  // Returns the number of the commit. `hasRecords`: values are put in as the records of stores.
  uint64_t commit(KeyedSession &session, FileGroup::Durability durability, bool hasRecords) const;

  std::set<uint32_t> cleared;  // before anything else happens there
  std::map<uint32_t, std::map<std::string, Change>> ofKeyspaces;
};

}  // namespace todana::simulation
