// What a cabinet holds, and changes of it at random.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "CabinetState.h"
#include "Changes.h"
#include "KeyedSession.h"

namespace todana::simulation {

class CabinetModel {
 public:
  struct Contents {
    uint32_t id;
    int32_t kind;
    std::map<std::string, uint64_t> records;  // hashes by keys
  };

  explicit CabinetModel(std::mt19937_64 &random) : random_(random) {}

  const std::map<std::string, Contents> &keyspaces() const { return keyspaces_; }
  // Goes back to what an earlier moment had.
  void restore(std::map<std::string, Contents> keyspaces) { keyspaces_ = std::move(keyspaces); }

  void read(KeyedSession &session, bool hasRecords);

  // Adds changes of one keyspace to a batch, and what comes of them to a state.
  void change(KeyedSession &session, Changes &changes, State &state);
  // A keyspace, which is made where there is none.
  Contents &contentsOf(KeyedSession &session, int32_t kind, const char *name);
  void addNew(KeyedSession &session, Changes &changes, Contents &contents, Digest &digest, uint64_t count);
  // Makes a batch one that must be refused. False where there is nothing to do it with.
  bool addConflict(KeyedSession &session, Changes &changes);

 private:
  void put(Changes &changes, Contents &contents, Digest &digest, const std::string &key);
  void remove(
    KeyedSession &session, Changes &changes, Contents &contents, Digest &digest, const std::string &key);
  bool wasThere(KeyedSession &session, uint32_t keyspace, const std::string &key);
  static void forget(Contents &contents, Digest &digest, const std::string &key);
  std::string anyKey(const Contents &contents);

  std::mt19937_64 &random_;
  std::map<std::string, Contents> keyspaces_;  // by their names
};

}  // namespace todana::simulation
