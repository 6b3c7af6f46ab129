// A batch of changes, in the order that a cabinet wants.
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
  // Takes back a put or a removal.
  void forget(uint32_t keyspace, const std::string &key) { records_[keyspace].erase(key); }
  void expectPresent(uint32_t keyspace, const std::string &key) {
    records_[keyspace][key] = {TDN_CHECK, TDN_EXPECT_PRESENT, {}};
  }
  // Of a tree: at most `count` keys from `lower` on and before `upper`; empty: no bound.
  void expectAtMost(uint32_t keyspace, const std::string &lower, const std::string &upper, uint64_t count) {
    ranges_[keyspace].emplace(lower, Range{upper, count});
  }
  // Of a tree: a key that begins with the number of the commit.
  void putNumbered(uint32_t keyspace, const std::string &suffix, std::string value) {
    numbered_[keyspace][suffix] = std::move(value);
  }
  // The keyspace becomes empty before all other changes of it.
  void clear(uint32_t keyspace);
  void drop(uint32_t keyspace);
  void adopt(uint32_t keyspace) { adopted_.insert(keyspace); }

  bool changes(uint32_t keyspace, const std::string &key) const;
  bool clears(uint32_t keyspace) const { return cleared_.count(keyspace) != 0; }
  bool drops(uint32_t keyspace) const { return dropped_.count(keyspace) != 0; }
  bool drops() const { return !dropped_.empty(); }
  bool adopts() const { return !adopted_.empty(); }

  // Returns the number of the commit. `hasRecords`: values are put in as the records of stores.
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

  std::map<uint32_t, std::map<std::string, Change>> records_;  // by their keys
  std::map<uint32_t, std::multimap<std::string, Range>> ranges_;  // by their lower bounds
  std::map<uint32_t, std::map<std::string, std::string>> numbered_;  // values by the ends of their keys
  std::set<uint32_t> cleared_, dropped_, adopted_;
};

// Changes as the engine takes them.
class BatchBuilder {
 public:
  // `key`: of rows as 8 bytes, as in the model.
  void add(
    uint32_t keyspace, int32_t keyspaceKind, tdn_change_kind kind, tdn_expectation expectation, const std::string &key,
    const std::string &value, uint64_t expected = 0);
  // A change of the whole keyspace.
  void add(uint32_t keyspace, tdn_change_kind kind);
  // Valid until something is added.
  tdn_batch batch();

 private:
  std::vector<tdn_change> changes_;
  std::string bytes_;
};

}  // namespace todana::simulation
