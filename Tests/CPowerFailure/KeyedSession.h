// A session that uses the keys on the disk, if any. It delivers records as they were put, even if the files hold them
// sealed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "../../Sources/CStorageEngine/Cabinet/KeyMigration.h"
#include "../../Sources/CStorageEngine/Cabinet/Session.h"
#include "../../Sources/CStorageEngine/Directory/StoreKeys.h"

namespace todana::simulation {

class KeyedSession {
 public:
  // Opens or creates a store. If `encrypts`, a new store is encrypted.
  KeyedSession(Disk &disk, const tdn_options &options, bool encrypts, FileGroup::Report &report);
  ~KeyedSession();

  Session *operator->() { return session_.get(); }
  Session &operator*() { return *session_; }

  // Returns a plain record; for a tree, the content alone. In a commit, the session converts the record to the form of
  // its keyspace.
  static std::string record(uint32_t keyspace, int32_t kind, const std::string &key, const std::string &content);

  // A visitor of records. `key` is a row id as 8 bytes, a name, or a key of a tree.
  using Visit = std::function<void(const std::string &key, std::string_view content)>;
  // Visits the newest records of a keyspace. If `areRecords` is false, passes the stored values instead of their
  // contents.
  void scan(const Session::KeyspaceInfo &keyspace, bool areRecords, const Visit &visit);

  // Begins a migration if none is unfinished; `choice` selects its kind. Returns false if this session cannot begin
  // one, because it was decrypted.
  bool prepareMigration(uint64_t choice);
  // Runs the migration. Returns false if `progress` gave up.
  bool migrate(const Rebuilding::Progress &progress);
  bool hasMigration();

  void close() { session_->close(); }

 private:
  Disk &disk_;
  std::unique_ptr<StoreKeys> keys_;
  std::unique_ptr<Session> session_;
};

std::string rowKey(uint64_t row);
uint64_t rowOf(const std::string &key);

}  // namespace todana::simulation
