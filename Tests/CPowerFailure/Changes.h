// A batch of changes, in the order that a cabinet requires.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "../../Sources/CStorageEngine/Pages/FileGroup.h"
#include "KeyedSession.h"

namespace todana::simulation {

class Changes {
 public:
  void put(uint32_t keyspace, const std::string &key, std::string value) {
    records_[keyspace][key] = {TDN_PUT, TDN_EXPECT_ANY, std::move(value)};
  }
  void putNew(uint32_t keyspace, const std::string &key, std::string value) {
    records_[keyspace][key] = {TDN_PUT, TDN_EXPECT_ABSENT, std::move(value)};
  }
  void remove(uint32_t keyspace, const std::string &key) { records_[keyspace][key] = {TDN_REMOVE, TDN_EXPECT_ANY, {}}; }
  // Withdraws a put or a removal.
  void forget(uint32_t keyspace, const std::string &key) { records_[keyspace].erase(key); }
  void expectPresent(uint32_t keyspace, const std::string &key) {
    records_[keyspace][key] = {TDN_CHECK, TDN_EXPECT_PRESENT, {}};
  }
  // Expects at most `count` keys of a tree from `lower` on and before `upper`. An empty string means no bound.
  void expectAtMost(uint32_t keyspace, const std::string &lower, const std::string &upper, uint64_t count) {
    ranges_[keyspace].emplace(lower, Range{upper, count});
  }
  // Puts a key that begins with the number of the commit into a tree.
  void putNumbered(uint32_t keyspace, const std::string &suffix, std::string value) {
    numbered_[keyspace][suffix] = std::move(value);
  }
  // Empties the keyspace, before all other changes of it.
  void clear(uint32_t keyspace);
  void drop(uint32_t keyspace);
  void adopt(uint32_t keyspace) { adopted_.insert(keyspace); }

  bool changes(uint32_t keyspace, const std::string &key) const;
  bool clears(uint32_t keyspace) const { return cleared_.count(keyspace) != 0; }
  bool drops(uint32_t keyspace) const { return dropped_.count(keyspace) != 0; }
  bool drops() const { return !dropped_.empty(); }
  bool adopts() const { return !adopted_.empty(); }

  // Commits the changes and returns the number of the commit. If `hasRecords`, values are put as records of stores.
  uint64_t commit(KeyedSession &session, FileGroup::Durability durability, bool hasRecords) const;

 private:
  struct Change {
    tdn_change_kind kind;
    tdn_expectation expectation;
    std::string value;
  };
  struct Range {
    std::string upper;
    uint64_t count;
  };

  std::set<uint32_t> keyspaces() const;

  std::map<uint32_t, std::map<std::string, Change>> records_;  // by key
  std::map<uint32_t, std::multimap<std::string, Range>> ranges_;  // by lower bound
  std::map<uint32_t, std::map<std::string, std::string>> numbered_;  // values by the end of the key
  std::set<uint32_t> cleared_, dropped_, adopted_;
};

// A batch in the form that the engine takes.
class BatchBuilder {
 public:
  // Adds a change of a record. The key of a row has 8 bytes, as in the model.
  void add(
    uint32_t keyspace, int32_t keyspaceKind, tdn_change_kind kind, tdn_expectation expectation, const std::string &key,
    const std::string &value, uint64_t expected = 0);
  // Adds a change of a whole keyspace.
  void add(uint32_t keyspace, tdn_change_kind kind);
  // Returns the batch, which is valid until something is added.
  tdn_batch batch();

 private:
  std::vector<tdn_change> changes_;
  std::string bytes_;
};

}  // namespace todana::simulation
