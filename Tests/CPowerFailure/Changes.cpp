#include "Changes.h"

#include <atomic>
#include <cstring>
#include <vector>

namespace todana::simulation {

uint64_t Changes::commit(KeyedSession &session, FileGroup::Durability durability, bool hasRecords) const {
  std::map<uint32_t, Session::KeyspaceInfo> infos;
  for (const Session::KeyspaceInfo &info : session->keyspaces()) infos[info.id] = info;
  std::vector<tdn_change> list;
  std::string bytes;
  for (const auto &[keyspace, ofKeyspace] : ofKeyspaces) {
    if (cleared.count(keyspace)) {
      tdn_change entry{};
      entry.keyspace = keyspace;
      entry.kind = TDN_CLEAR;
      list.push_back(entry);
    }
    for (const auto &[key, change] : ofKeyspace) {
      tdn_change entry{};
      entry.keyspace = keyspace;
      entry.kind = change.isPut ? TDN_PUT : TDN_REMOVE;
      entry.expectation = change.mustBeAbsent ? TDN_EXPECT_ABSENT : TDN_EXPECT_ANY;
      if (infos[keyspace].kind == TDN_KEYSPACE_ROWS) {
        entry.key = rowOf(key);
      } else {
        entry.key = bytes.size();
        entry.key_length = static_cast<uint16_t>(key.size());
        bytes += key;
      }
      const std::string value =
        hasRecords ? KeyedSession::record(infos[keyspace], key, change.value) : change.value;
      entry.value = bytes.size();
      entry.value_length = value.size();
      bytes += value;
      list.push_back(entry);
    }
  }
  tdn_batch batch{};
  static std::atomic<uint64_t> nextBatch{1};
  const uint64_t id = nextBatch++;
  std::memcpy(batch.id, &id, sizeof id);
  batch.changes = list.data();
  batch.change_count = list.size();
  batch.bytes = reinterpret_cast<const uint8_t *>(bytes.data());
  batch.byte_count = bytes.size();
  std::vector<uint64_t> conflicts;
  return session->commit(batch, durability, conflicts);
}

}  // namespace todana::simulation
