// What a cabinet holds, and changes of it at random.
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
    std::map<std::string, uint64_t> records;  // hashes by keys
  };

  explicit CabinetModel(std::mt19937_64 &random) : random_(random) {}

  const std::map<std::string, Contents> &keyspaces() const { return keyspaces_; }

  void read(KeyedSession &session, bool hasRecords);

  // Begins a batch. `revert` goes back to here; `settle` adds to the model and to a state what became known with the number
  // of the commit.
  void begin();
  void revert();
  void settle(uint64_t number, State &state);

  // Adds changes of one keyspace to a batch, and their effect to a state.
  void change(KeyedSession &session, Changes &changes, State &state);
  // Returns a keyspace, which is made if there is none.
  Contents &contentsOf(KeyedSession &session, int32_t kind, const char *name);
  void addNew(KeyedSession &session, Changes &changes, Contents &contents, Digest &digest, uint64_t count);
  // Adds checks that hold.
  void addChecks(Changes &changes);
  // Makes a batch one that must be refused. Returns false if there is nothing to do it with.
  bool addConflict(Changes &changes);

  // Loads some records of a keyspace aside, in this step and later ones. Throws Failure.
  void load(KeyedSession &session, bool hasRecords);
  // Adds the adoption of a keyspace that is loaded, in place of the one with its name.
  void adopt(Changes &changes, State &state);
  // The loading has ended, adopted or not.
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
  // `suffix` null: all of the keyspace.
  void forgetNumbered(const std::string &name, const std::string *suffix = nullptr);
  void put(Changes &changes, Contents &contents, Digest &digest, const std::string &key);
  void remove(Changes &changes, const std::string &name, Contents &contents, Digest &digest, const std::string &key);
  // Whether a key was there before the batch.
  bool wasThere(const std::string &name, uint32_t id, const std::string &key) const;
  std::string anyValue();
  static void forget(Contents &contents, Digest &digest, const std::string &key);
  std::string anyKey(const Contents &contents);

  std::mt19937_64 &random_;
  std::map<std::string, Contents> keyspaces_;  // by their names
  std::map<std::string, Contents> before_;     // the batch
  std::vector<Numbered> numbered_;             // of the batch
  std::map<std::string, uint32_t> dropped_;    // by the batch
  std::optional<Loading> loading_;
};

}  // namespace todana::simulation
