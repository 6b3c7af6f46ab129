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

  // Returns a plain record, which the session converts to the form that its keyspace has.
  // For a tree, returns the content.
  static std::string record(uint32_t keyspace, int32_t kind, const std::string &key, const std::string &content);

  // A visitor of records. `key` is a row id as 8 bytes, a name, or a key of a tree.
  using Visit = std::function<void(const std::string &key, std::string_view content)>;
  // Visits the newest records of a keyspace. If not `areRecords`, values are passed as they are.
  void scan(const Session::KeyspaceInfo &keyspace, bool areRecords, const Visit &visit);

  // Begins or continues a migration; `choice` selects the kind of a new one. Returns false if there is none and this
  // session cannot begin one.
  bool prepareMigration(uint64_t choice);
  // Runs the migration. Returns false if `progress` gave it up.
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
