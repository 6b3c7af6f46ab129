// The expected contents of a cabinet, and random changes of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "CabinetState.h"
#include "Changes.h"
#include "KeyedSession.h"

namespace todana::simulation {

class CabinetModel {
 public:
  struct Contents {
    uint32_t id;
    int32_t kind;
    std::map<std::string, uint64_t> records;  // hashes by key
  };

  explicit CabinetModel(std::mt19937_64 &random) : random_(random) {}

  const std::map<std::string, Contents> &keyspaces() const { return keyspaces_; }

  void read(KeyedSession &session, bool hasRecords);

  // Begins a batch. `revert` undoes the changes of the batch. `settle`, called after the commit, adds the puts whose
  // keys contain the number of the commit, and removes dropped keyspaces.
  void begin();
  void revert();
  void settle(uint64_t number, State &state);

  // Adds random changes of one keyspace to a batch, and applies them to a state.
  void change(KeyedSession &session, Changes &changes, State &state);
  // Returns a keyspace, which is made if missing.
  Contents &contentsOf(KeyedSession &session, int32_t kind, const char *name);
  void addNew(KeyedSession &session, Changes &changes, Contents &contents, Digest &digest, uint64_t count);
  // Adds checks that hold.
  void addChecks(Changes &changes);
  // Adds a change that makes the engine refuse the batch. Returns false if no such change is possible.
  bool addConflict(Changes &changes);

  // Loads some more records of a keyspace that is not adopted yet. Throws Failure.
  void load(KeyedSession &session, bool hasRecords);
  // Adds the adoption of the loaded keyspace, which replaces a keyspace of the same name.
  void adopt(Changes &changes, State &state);
  // Ends the loading, adopted or not.
  void endLoading(KeyedSession &session);

 private:
  struct Loading {
    std::string name;
    Contents contents;
    Digest digest;
    std::string lastKey;
    bool isFinished = false;
  };
  struct Numbered {
    std::string name, suffix, value;
  };

  void drop(Changes &changes, State &state, const std::string &name);
  // Forgets the numbered puts of a keyspace that have this suffix, or all of them if `suffix` is null.
  void forgetNumbered(const std::string &name, const std::string *suffix = nullptr);
  void put(Changes &changes, Contents &contents, Digest &digest, const std::string &key);
  void remove(Changes &changes, const std::string &name, Contents &contents, Digest &digest, const std::string &key);
  // Tests whether a key was present before the batch.
  bool wasThere(const std::string &name, uint32_t id, const std::string &key) const;
  std::string anyValue();
  static void forget(Contents &contents, Digest &digest, const std::string &key);
  std::string anyKey(const Contents &contents);

  std::mt19937_64 &random_;
  std::map<std::string, Contents> keyspaces_;  // by name
  std::map<std::string, Contents> before_;     // keyspaces before the batch
  std::vector<Numbered> numbered_;             // puts of the batch
  std::map<std::string, uint32_t> dropped_;    // dropped by the batch
  std::optional<Loading> loading_;
};

}  // namespace todana::simulation
