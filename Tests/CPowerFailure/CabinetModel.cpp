#include "CabinetModel.h"

#include <algorithm>
#include <vector>

#include "RandomBytes.h"

namespace todana::simulation {

void CabinetModel::read(KeyedSession &session, bool hasRecords) {
  for (const Session::KeyspaceInfo &info : session->keyspaces()) {
    Contents &contents = keyspaces_[info.name];
    contents.id = info.id;
    contents.kind = info.kind;
    session.scan(info, hasRecords, [&](const std::string &key, std::string_view value) {
      contents.records[key] = hashOf(key, value);
    });
  }
}

void CabinetModel::change(KeyedSession &session, Changes &changes, State &state) {
  static const struct {
    const char *name;
    int32_t kind;
  } kinds[] = {{"songs", TDN_KEYSPACE_ROWS}, {"albums", TDN_KEYSPACE_ROWS}, {"names", TDN_KEYSPACE_KEYS},
               {"by-title", TDN_KEYSPACE_TREE}, {"by-year", TDN_KEYSPACE_TREE}};
  const auto &kind = kinds[random_() % std::size(kinds)];
  Contents &contents = contentsOf(session, kind.kind, kind.name);
  Digest &digest = state[kind.name];
  const uint64_t choice = random_() % 10;
  if (random_() % 12 == 0) {
    changes.clear(contents.id);
    contents.records.clear();
    digest = Digest();
    if (random_() % 2) addNew(session, changes, contents, digest, 1 + random_() % 200);
  } else if (choice < 2 && contents.records.size() > 200) {
    // So many that compacting is worth it.
    std::vector<std::string> keys;
    for (const auto &[key, hash] : contents.records) {
      if (random_() % 3) keys.push_back(key);
    }
    for (const std::string &key : keys) remove(session, changes, contents, digest, key);
  } else if (choice < 4) {
    addNew(session, changes, contents, digest, 100 + random_() % 500);
  } else {
    addNew(session, changes, contents, digest, 1 + random_() % 12);
    for (uint64_t count = random_() % 8; count > 0 && !contents.records.empty(); count--) {
      const std::string key = anyKey(contents);
      if (random_() % 3) {
        put(changes, contents, digest, key);
      } else {
        remove(session, changes, contents, digest, key);
      }
    }
  }
}

CabinetModel::Contents &CabinetModel::contentsOf(KeyedSession &session, int32_t kind, const char *name) {
  Contents &contents = keyspaces_[name];
  contents.id = session->table().keyspace(kind, name).id;
  contents.kind = kind;
  return contents;
}

void CabinetModel::addNew(KeyedSession &session, Changes &changes, Contents &contents, Digest &digest, uint64_t count) {
  const bool hasRows = contents.kind == TDN_KEYSPACE_ROWS;
  const uint64_t firstRow = hasRows ? session->reserveRows(contents.id, count) : 0;
  for (uint64_t index = 0; index < count; index++) {
    put(changes, contents, digest, hasRows ? rowKey(firstRow + index) : randomBytes(random_, 3 + random_() % 20));
  }
}

void CabinetModel::put(Changes &changes, Contents &contents, Digest &digest, const std::string &key) {
  const bool isLong = random_() % 300 == 0;
  std::string value = randomBytes(random_, isLong ? 2000 + random_() % 20'000 : 1 + random_() % 60);
  forget(contents, digest, key);
  const uint64_t hash = hashOf(key, value);
  contents.records[key] = hash;
  digest.add(hash);
  changes.put(contents.id, key, std::move(value));
}

void CabinetModel::remove(KeyedSession &session, Changes &changes, Contents &contents, Digest &digest, const std::string &key) {
  auto &batch = changes.ofKeyspaces[contents.id];
  auto found = batch.find(key);
  forget(contents, digest, key);
  // What this batch put, it cannot remove.
  if (found != batch.end()) {
    batch.erase(found);
    if (changes.cleared.count(contents.id) || !wasThere(session, contents.id, key)) return;
  }
  changes.remove(contents.id, key);
}

bool CabinetModel::wasThere(KeyedSession &session, uint32_t keyspace, const std::string &key) {
  std::vector<uint8_t> memory(64 << 10);
  tdn_slice slice{};
  tdn_chunk chunk{};
  chunk.bytes = memory.data();
  chunk.byte_capacity = memory.size();
  chunk.slices = &slice;
  chunk.slice_capacity = 1;
  ChunkWriter writer(chunk);
  const bool hasRows = std::any_of(keyspaces_.begin(), keyspaces_.end(), [&](const auto &entry) {
    return entry.second.id == keyspace && entry.second.kind == TDN_KEYSPACE_ROWS;
  });
  if (hasRows) {
    const uint64_t row = rowOf(key);
    session->getRows(nullptr, keyspace, &row, 1, writer);
  } else {
    session->getKey(nullptr, keyspace, key, writer);
  }
  return slice.status == TDN_FOUND;
}

void CabinetModel::forget(Contents &contents, Digest &digest, const std::string &key) {
  auto found = contents.records.find(key);
  if (found == contents.records.end()) return;
  digest.remove(found->second);
  contents.records.erase(found);
}

std::string CabinetModel::anyKey(const Contents &contents) {
  auto found = contents.records.lower_bound(randomBytes(random_, contents.kind == TDN_KEYSPACE_ROWS ? 1 : 4));
  if (contents.kind == TDN_KEYSPACE_ROWS) {
    const uint64_t last = rowOf(contents.records.rbegin()->first);
    found = contents.records.lower_bound(rowKey(random_() % (last + 1)));
  }
  return found == contents.records.end() ? contents.records.rbegin()->first : found->first;
}

bool CabinetModel::addConflict(KeyedSession &session, Changes &changes) {
  for (const auto &[name, contents] : keyspaces_) {
    if (contents.records.empty()) continue;
    const std::string &key = contents.records.begin()->first;
    if (changes.cleared.count(contents.id) || changes.ofKeyspaces[contents.id].count(key)) continue;
    if (!wasThere(session, contents.id, key)) continue;
    changes.ofKeyspaces[contents.id][key] = {true, "x", true};
    return true;
  }
  return false;
}

}  // namespace todana::simulation
