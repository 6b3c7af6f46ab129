// A session over whatever keys the disk has, and its records as somebody has put them, however they stand in the files.
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
  // `encrypts`: a new store.
  KeyedSession(Disk &disk, const tdn_options &options, bool encrypts, FileGroup::Report &report);
  ~KeyedSession();

  Session *operator->() { return session_.get(); }
  Session &operator*() { return *session_; }

  // A plain record, which the session turns into what its keyspace has.
  static std::string record(uint32_t keyspace, int32_t kind, const std::string &key, const std::string &content);

  // The records of a keyspace as of now, by rows as 8 bytes, names, or keys.
  using Visit = std::function<void(const std::string &key, std::string_view content)>;
  // `areRecords` false: the values are taken as they are.
  void scan(const Session::KeyspaceInfo &keyspace, bool areRecords, const Visit &visit);

  // Begins, or goes on with, a migration: what kind of one is the caller's choice where there is none yet. False where
  // there is none to go on with, and this session cannot begin one.
  bool prepareMigration(uint64_t choice);
  // False where it was given up.
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
