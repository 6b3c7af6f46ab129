#include "KeyedSession.h"

#include <vector>

#include "../../Sources/CStorageEngine/Cabinet/WholeScan.h"
#include "../../Sources/CStorageEngine/Disk/Checksum.h"
#include "../../Sources/CStorageEngine/Keyspaces/PlainRecord.h"
#include "Files.h"

namespace todana::simulation {

namespace {

const Secret kSecret{SecretKind::rawKey, {"sixteen letters.", 16}};

// Returns the content of a plain record (docs/formats/record-envelope.md).
std::string contentOf(std::string_view record) {
  require(isPlainRecord(record), "a record is none");
  return std::string(record.substr(2, plainSize(record) - 2));
}

}  // namespace

std::string rowKey(uint64_t row) {
  std::string key(8, 0);
  for (int index = 0; index < 8; index++) key[index] = static_cast<char>(row >> (56 - 8 * index));
  return key;
}

uint64_t rowOf(const std::string &key) {
  uint64_t row = 0;
  for (char byte : key) row = row << 8 | static_cast<uint8_t>(byte);
  return row;
}

KeyedSession::KeyedSession(Disk &disk, const tdn_options &options, bool encrypts, FileGroup::Report &report)
    : disk_(disk) {
  const bool mayWrite = options.access != TDN_ACCESS_READ;
  if (StoreKeys::exist(disk)) {
    keys_ = StoreKeys::open(disk, StoreID(), kSecret, mayWrite);
  } else if (encrypts) {
    keys_ = StoreKeys::create(disk, StoreID(), kSecret, DataCipher::aes128, ScryptCost());
  }
  session_ = std::make_unique<Session>(
    disk, options, keys_ ? keys_->ring() : nullptr, keys_ && keys_->migration() != StoreKeys::Migration::none, report);
}

KeyedSession::~KeyedSession() { session_ = nullptr; }

std::string KeyedSession::record(
  uint32_t keyspace, int32_t kind, const std::string &key, const std::string &content) {
  if (kind == TDN_KEYSPACE_TREE) return content;
  const PlainRecordSeed seed(StoreID(), keyspace);
  constexpr char kVersion = 1;
  std::string record{static_cast<char>(kPlainFormat), kVersion};
  record += content;
  const uint64_t check = checksum(
    record.data(), record.size(), kind == TDN_KEYSPACE_ROWS ? seed.row(rowOf(key)) : seed.name(key));
  return record.append(reinterpret_cast<const char *>(&check), sizeof check);
}

void KeyedSession::scan(const Session::KeyspaceInfo &info, bool areRecords, const Visit &visit) {
  Keyspace &keyspace = session_->table().keyspace(info.id);
  std::optional<RecordConversion> opening;
  if (keys_) opening.emplace(keys_->ring(), 0);
  const std::shared_ptr<Snapshot> snapshot = session_->openSnapshot();
  WholeScan scan(*session_, *snapshot, keyspace);
  while (const tdn_chunk *chunk = scan.next()) {
    for (size_t index = 0; index < chunk->slice_count; index++) {
      const tdn_slice &slice = chunk->slices[index];
      require(slice.status == TDN_FOUND, "a record of " + info.name + " is damaged");
      const char *bytes = reinterpret_cast<const char *>(chunk->bytes) + slice.offset;
      const std::string_view value(bytes, slice.length);
      std::string key = keyspace.hasRows() ? rowKey(slice.row) : std::string(bytes - slice.key_length, slice.key_length);
      if (keyspace.isTree() || !areRecords) {
        visit(key, value);
      } else if (!opening || scan.part().contents.keyGeneration == 0) {
        visit(key, contentOf(value));
      } else if (keyspace.hasRows()) {
        visit(key, contentOf(opening->row(keyspace, slice.row, value)));
      } else {
        const RecordConversion::Named named = opening->stored(keyspace, key, value);
        visit(named.name, contentOf(named.record));
      }
    }
  }
  session_->snapshots().close(snapshot);
}

bool KeyedSession::hasMigration() {
  return keys_ && !keys_->isRemoved() && (keys_->migration() != StoreKeys::Migration::none || keys_->hasEarlierKeys());
}

bool KeyedSession::prepareMigration(uint64_t choice) {
  if (hasMigration()) return true;
  if (keys_ && keys_->isRemoved()) return false;
  if (!keys_) {
    keys_ = StoreKeys::create(
      disk_, StoreID(), kSecret, DataCipher::aes128, ScryptCost(), StoreKeys::Migration::encrypting);
    session_->setKeys(keys_->ring());
  } else if (choice % 2 == 0) {
    keys_->renew({kSecret}, ScryptCost());
  } else {
    keys_->setMigration(StoreKeys::Migration::decrypting);
  }
  return true;
}

bool KeyedSession::migrate(const Rebuilding::Progress &progress) {
  const bool isDecrypting = keys_->migration() == StoreKeys::Migration::decrypting;
  return KeyMigration(
           *session_, *keys_, isDecrypting ? KeyMigration::Goal::plain : KeyMigration::Goal::sealed)
    .run(progress);
}

}  // namespace todana::simulation
