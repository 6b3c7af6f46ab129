#include "Changes.h"

#include <atomic>
#include <cstring>

namespace todana::simulation {

void Changes::clear(uint32_t keyspace) {
  records_.erase(keyspace);
  ranges_.erase(keyspace);
  numbered_.erase(keyspace);
  cleared_.insert(keyspace);
}

void Changes::drop(uint32_t keyspace) {
  clear(keyspace);
  cleared_.erase(keyspace);
  dropped_.insert(keyspace);
}

bool Changes::changes(uint32_t keyspace, const std::string &key) const {
  const auto found = records_.find(keyspace);
  return found != records_.end() && found->second.count(key) != 0;
}

std::set<uint32_t> Changes::keyspaces() const {
  std::set<uint32_t> all = cleared_;
  all.insert(dropped_.begin(), dropped_.end());
  all.insert(adopted_.begin(), adopted_.end());
  for (const auto &entry : records_) all.insert(entry.first);
  for (const auto &entry : ranges_) all.insert(entry.first);
  for (const auto &entry : numbered_) all.insert(entry.first);
  return all;
}

uint64_t Changes::commit(KeyedSession &session, FileGroup::Durability durability, bool hasRecords) const {
  std::map<uint32_t, int32_t> kinds;
  for (const Session::KeyspaceInfo &info : session->keyspaces()) kinds[info.id] = info.kind;
  BatchBuilder builder;
  for (const uint32_t keyspace : keyspaces()) {
    if (drops(keyspace)) builder.add(keyspace, TDN_DROP);
    if (adopted_.count(keyspace)) builder.add(keyspace, TDN_ADOPT);
    if (clears(keyspace)) builder.add(keyspace, TDN_CLEAR);
    const int32_t kind = kinds[keyspace];
    if (const auto found = ranges_.find(keyspace); found != ranges_.end()) {
      for (const auto &[lower, range] : found->second) {
        builder.add(keyspace, kind, TDN_CHECK_RANGE, TDN_EXPECT_AT_MOST, lower, range.upper, range.count);
      }
    }
    if (const auto found = records_.find(keyspace); found != records_.end()) {
      for (const auto &[key, change] : found->second) {
        const bool isRecord = hasRecords && change.kind == TDN_PUT;
        builder.add(
          keyspace, kind, change.kind, change.expectation, key,
          isRecord ? KeyedSession::record(keyspace, kind, key, change.value) : change.value);
      }
    }
    if (const auto found = numbered_.find(keyspace); found != numbered_.end()) {
      for (const auto &[suffix, value] : found->second) {
        builder.add(keyspace, kind, TDN_PUT_NUMBERED, TDN_EXPECT_ABSENT, suffix, value);
      }
    }
  }
  std::vector<uint64_t> conflicts;
  return session->commit(builder.batch(), durability, conflicts);
}

void BatchBuilder::add(
  uint32_t keyspace, int32_t keyspaceKind, tdn_change_kind kind, tdn_expectation expectation, const std::string &key,
  const std::string &value, uint64_t expected) {
  tdn_change change{};
  change.keyspace = keyspace;
  change.kind = static_cast<uint8_t>(kind);
  change.expectation = static_cast<uint8_t>(expectation);
  change.expected = expected;
  if (keyspaceKind == TDN_KEYSPACE_ROWS) {
    change.key = rowOf(key);
  } else {
    change.key = bytes_.size();
    change.key_length = static_cast<uint16_t>(key.size());
    bytes_ += key;
  }
  change.value = bytes_.size();
  change.value_length = value.size();
  bytes_ += value;
  changes_.push_back(change);
}

void BatchBuilder::add(uint32_t keyspace, tdn_change_kind kind) {
  tdn_change change{};
  change.keyspace = keyspace;
  change.kind = static_cast<uint8_t>(kind);
  changes_.push_back(change);
}

tdn_batch BatchBuilder::batch() {
  static std::atomic<uint64_t> nextBatch{1};
  tdn_batch batch{};
  const uint64_t id = nextBatch++;
  std::memcpy(batch.id, &id, sizeof id);
  batch.changes = changes_.data();
  batch.change_count = changes_.size();
  batch.bytes = reinterpret_cast<const uint8_t *>(bytes_.data());
  batch.byte_count = bytes_.size();
  return batch;
}

}  // namespace todana::simulation
