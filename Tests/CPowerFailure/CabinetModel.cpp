#include "CabinetModel.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "Files.h"
#include "RandomBytes.h"

namespace todana::simulation {

namespace {

constexpr struct {
  const char *name;
  int32_t kind;
} kKeyspaces[] = {{"songs", TDN_KEYSPACE_ROWS}, {"albums", TDN_KEYSPACE_ROWS}, {"names", TDN_KEYSPACE_KEYS},
                  {"by-title", TDN_KEYSPACE_TREE}, {"by-year", TDN_KEYSPACE_TREE}};

}  // namespace

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

// MARK: Batches

void CabinetModel::begin() {
  before_ = keyspaces_;
  numbered_.clear();
  dropped_.clear();
}

void CabinetModel::revert() {
  std::swap(keyspaces_, before_);
  // Keyspaces that were made for the batch keep their names and numbers.
  for (auto &[name, made] : before_) {
    if (keyspaces_.count(name) || (loading_ && made.id == loading_->contents.id)) continue;
    keyspaces_[name] = {made.id, made.kind, {}};
  }
}

void CabinetModel::settle(uint64_t number, State &state) {
  for (const Numbered &each : numbered_) {
    const std::string key = rowKey(number) + each.suffix;
    const uint64_t hash = hashOf(key, each.value);
    keyspaces_[each.name].records[key] = hash;
    state[each.name].add(hash);
  }
  for (const auto &[name, id] : dropped_) {
    const auto found = keyspaces_.find(name);
    // Another keyspace may have been adopted under this name.
    if (found != keyspaces_.end() && found->second.id == id) keyspaces_.erase(found);
  }
}

void CabinetModel::change(KeyedSession &session, Changes &changes, State &state) {
  const auto &kind = kKeyspaces[random_() % std::size(kKeyspaces)];
  Contents &contents = contentsOf(session, kind.kind, kind.name);
  // A dropped keyspace is not made again in the same batch.
  if (changes.drops(contents.id)) return;
  Digest &digest = state[kind.name];
  const uint64_t choice = random_() % 10;
  if (random_() % 24 == 0 && before_.count(kind.name)) {
    drop(changes, state, kind.name);
  } else if (random_() % 12 == 0) {
    changes.clear(contents.id);
    forgetNumbered(kind.name);
    contents.records.clear();
    digest = Digest();
    if (random_() % 2) addNew(session, changes, contents, digest, 1 + random_() % 200);
  } else if (choice < 2 && contents.records.size() > 200) {
    // Removes two thirds of the records, so that a compaction shortens the file.
    std::vector<std::string> keys;
    for (const auto &[key, hash] : contents.records) {
      if (random_() % 3) keys.push_back(key);
    }
    for (const std::string &key : keys) remove(changes, kind.name, contents, digest, key);
  } else if (choice < 4) {
    addNew(session, changes, contents, digest, 100 + random_() % 500);
  } else {
    addNew(session, changes, contents, digest, 1 + random_() % 12);
    for (uint64_t count = random_() % 8; count > 0 && !contents.records.empty(); count--) {
      const std::string key = anyKey(contents);
      if (random_() % 3) {
        put(changes, contents, digest, key);
      } else {
        remove(changes, kind.name, contents, digest, key);
      }
    }
    if (kind.kind == TDN_KEYSPACE_TREE && random_() % 2) {
      for (uint64_t count = 1 + random_() % 3; count > 0; count--) {
        Numbered numbered{kind.name, randomBytes(random_, random_() % 4), anyValue()};
        changes.putNumbered(contents.id, numbered.suffix, numbered.value);
        forgetNumbered(numbered.name, &numbered.suffix);
        numbered_.push_back(std::move(numbered));
      }
    }
  }
}

CabinetModel::Contents &CabinetModel::contentsOf(KeyedSession &session, int32_t kind, const char *name) {
  Contents &contents = keyspaces_[name];
  if (contents.id == 0) contents.id = session->table().keyspace(kind, name).id;
  contents.kind = kind;
  return contents;
}

void CabinetModel::drop(Changes &changes, State &state, const std::string &name) {
  Contents &contents = keyspaces_[name];
  changes.drop(contents.id);
  forgetNumbered(name);
  dropped_[name] = contents.id;
  contents.records.clear();
  state.erase(name);
}

void CabinetModel::forgetNumbered(const std::string &name, const std::string *suffix) {
  const auto isMeant = [&](const Numbered &each) {
    return each.name == name && (!suffix || each.suffix == *suffix);
  };
  numbered_.erase(std::remove_if(numbered_.begin(), numbered_.end(), isMeant), numbered_.end());
}

void CabinetModel::addNew(KeyedSession &session, Changes &changes, Contents &contents, Digest &digest, uint64_t count) {
  const bool hasRows = contents.kind == TDN_KEYSPACE_ROWS;
  const uint64_t firstRow = hasRows ? session->reserveRows(contents.id, count) : 0;
  for (uint64_t index = 0; index < count; index++) {
    put(changes, contents, digest, hasRows ? rowKey(firstRow + index) : randomBytes(random_, 3 + random_() % 20));
  }
}

std::string CabinetModel::anyValue() {
  const bool isLong = random_() % 300 == 0;
  return randomBytes(random_, isLong ? 2000 + random_() % 20'000 : 1 + random_() % 60);
}

void CabinetModel::put(Changes &changes, Contents &contents, Digest &digest, const std::string &key) {
  std::string value = anyValue();
  forget(contents, digest, key);
  const uint64_t hash = hashOf(key, value);
  contents.records[key] = hash;
  digest.add(hash);
  changes.put(contents.id, key, std::move(value));
}

void CabinetModel::remove(
  Changes &changes, const std::string &name, Contents &contents, Digest &digest, const std::string &key) {
  forget(contents, digest, key);
  changes.forget(contents.id, key);
  // The batch removes only records that existed before it: it cannot remove a record that it puts itself.
  if (!changes.clears(contents.id) && wasThere(name, contents.id, key)) changes.remove(contents.id, key);
}

bool CabinetModel::wasThere(const std::string &name, uint32_t id, const std::string &key) const {
  const auto found = before_.find(name);
  return found != before_.end() && found->second.id == id && found->second.records.count(key) != 0;
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

// MARK: Expectations

void CabinetModel::addChecks(Changes &changes) {
  for (const auto &[name, contents] : before_) {
    if (contents.records.empty() || changes.drops(contents.id) || random_() % 3) continue;
    const std::string key = anyKey(contents);
    // Add no check of a key that the batch changes already. After a clear, a check would find no record.
    if (!changes.clears(contents.id) && !changes.changes(contents.id, key)) changes.expectPresent(contents.id, key);
    if (contents.kind != TDN_KEYSPACE_TREE || changes.clears(contents.id)) continue;
    const auto lower = contents.records.lower_bound(key);
    auto upper = lower;
    uint64_t count = 0;
    for (uint64_t wanted = random_() % 20; count < wanted && upper != contents.records.end(); count++) ++upper;
    const bool isBounded = upper != contents.records.end();
    if (!isBounded) count = static_cast<uint64_t>(std::distance(lower, upper));
    changes.expectAtMost(contents.id, key, isBounded ? upper->first : "", count + random_() % 2);
  }
}

bool CabinetModel::addConflict(Changes &changes) {
  for (const auto &[name, contents] : before_) {
    if (contents.records.empty() || changes.clears(contents.id) || changes.drops(contents.id)) continue;
    const std::string &key = contents.records.begin()->first;
    switch (random_() % 3) {
      case 0:
        if (changes.changes(contents.id, key)) break;
        changes.putNew(contents.id, key, "x");
        return true;
      case 1: {
        // Expect a key that is absent, and that no other change of the batch puts.
        const std::string missing = contents.kind == TDN_KEYSPACE_ROWS ? rowKey(uint64_t{1} << 50) : key + "missing";
        if (contents.records.count(missing) || changes.changes(contents.id, missing)) break;
        changes.expectPresent(contents.id, missing);
        return true;
      }
      default:
        if (contents.kind != TDN_KEYSPACE_TREE) break;
        changes.expectAtMost(contents.id, random_() % 2 ? key : "", "", contents.records.size() - 1);
        return true;
    }
  }
  return false;
}

// MARK: Loading

void CabinetModel::load(KeyedSession &session, bool hasRecords) {
  if (!loading_) {
    const auto &kind = kKeyspaces[random_() % std::size(kKeyspaces)];
    const uint64_t count = random_() % 2 ? 1000 : 0;
    loading_ = Loading{kind.name, {session->beginLoading(kind.kind, kind.name, count), kind.kind, {}}, {}, {}};
  }
  Loading &loading = *loading_;
  if (loading.isFinished) return;
  if (random_() % 4 == 0) {
    session->finishLoading(loading.contents.id);
    loading.isFinished = true;
    return;
  }
  std::map<std::string, std::string> records;
  const bool hasRows = loading.contents.kind == TDN_KEYSPACE_ROWS;
  uint64_t row = loading.lastKey.empty() ? 0 : hasRows ? rowOf(loading.lastKey) : 0;
  for (uint64_t count = 1 + random_() % 300; count > 0; count--) {
    row += 1 + random_() % 2 * (random_() % 5);
    const std::string key = hasRows ? rowKey(row) : loading.lastKey + randomBytes(random_, 1 + random_() % 20);
    if (key > loading.lastKey) records[key] = anyValue();
  }
  if (records.empty()) return;
  BatchBuilder builder;
  for (const auto &[key, value] : records) {
    const std::string record =
      hasRecords ? KeyedSession::record(loading.contents.id, loading.contents.kind, key, value) : value;
    builder.add(loading.contents.id, loading.contents.kind, TDN_PUT, TDN_EXPECT_ABSENT, key, record);
    const uint64_t hash = hashOf(key, value);
    loading.contents.records[key] = hash;
    loading.digest.add(hash);
  }
  loading.lastKey = records.rbegin()->first;
  session->load(loading.contents.id, builder.batch());
}

void CabinetModel::adopt(Changes &changes, State &state) {
  if (!loading_ || !loading_->isFinished) return;
  const auto former = keyspaces_.find(loading_->name);
  if (former != keyspaces_.end()) {
    // A keyspace that no commit has made yet cannot be dropped.
    if (changes.drops(former->second.id) || !before_.count(loading_->name)) return;
    drop(changes, state, loading_->name);
  }
  changes.adopt(loading_->contents.id);
  keyspaces_[loading_->name] = loading_->contents;
  state[loading_->name] = loading_->digest;
}

void CabinetModel::endLoading(KeyedSession &session) {
  if (!loading_) return;
  session->endLoading(loading_->contents.id);
  loading_.reset();
}

}  // namespace todana::simulation
