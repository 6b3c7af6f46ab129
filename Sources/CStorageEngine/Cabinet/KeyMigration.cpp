#include "KeyMigration.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "DigestRekeying.h"

namespace todana {

namespace {

// The pause before the next attempt while a backup is running.
constexpr auto kBackupPause = std::chrono::milliseconds(20);

// The size of replaced files after which a checkpoint removes them, so that the store's size does not double.
constexpr uint64_t kMostKept = 64 << 20;

// The disk space for commits besides a copy.
constexpr int64_t kRoomForCommits = 1 << 20;

}  // namespace

void KeyMigration::requireRoom(Session &session) {
  int64_t largest = 0;
  for (Keyspace *keyspace : session.table().all()) {
    if (keyspace->fileNumber == 0) continue;
    largest = std::max(largest, static_cast<int64_t>(fileSize(session, *keyspace)));
  }
  const int64_t room = std::max<int64_t>(session.group().room(), 0), needed = largest + kRoomForCommits;
  if (room >= needed) return;
  throw Failure(
    TDN_NO_SPACE, "the disk has " + std::to_string(room >> 10) +
                    " KiB left, and a copy of the largest file of the store needs " +
                    std::to_string((needed - room + 1023) >> 10) +
                    " KiB more: free some space, or compact the store first");
}

bool KeyMigration::run(const Rebuilding::Progress &progress) {
  progress_ = progress;
  begin();
  std::vector<Keyspace *> left = remaining();
  for (Keyspace *keyspace : left) total_ += fileSize(session_, *keyspace);
  // New keyspaces get the new generation when they are created, so the number of remaining ones only decreases.
  for (; !left.empty(); left = remaining()) {
    for (Keyspace *keyspace : left) {
      const uint64_t size = fileSize(session_, *keyspace);
      if (!convert(*keyspace)) return false;
      done_ = std::min(total_, done_ + size);
      letGo(size);
    }
  }
  return finish();
}

// Begins the migration. The catalog and the states are encrypted first and decrypted last, so that an attacker can
// never make an encrypted keyspace look plain.
void KeyMigration::begin() {
  session_.requireConsistentStates();
  const uint32_t states = session_.statesKeyGeneration();
  const uint32_t sealed = goal_ == Goal::plain ? states : keyGeneration_;
  // The first commit creates the catalog and the states.
  const bool isEmpty = session_.group().commitNumber() == 0;
  if (isEmpty || states != sealed || session_.table().newKeyGeneration() != keyGeneration_) {
    session_.rewriteStates(sealed, keyGeneration_);
  }
}

std::vector<Keyspace *> KeyMigration::remaining() {
  std::vector<Keyspace *> left;
  for (Keyspace *keyspace : session_.table().all()) {
    if (keyspace->fileNumber == 0) continue;
    FileGroup::ReadLock lock(session_.group());
    if (keyspace->contents.keyGeneration != keyGeneration_) left.push_back(keyspace);
  }
  return left;
}

uint64_t KeyMigration::fileSize(Session &session, Keyspace &keyspace) {
  const std::shared_ptr<const HashFile> file = session.table().file(keyspace, false);
  return file ? static_cast<uint64_t>(file->end()) : 0;
}

void KeyMigration::letGo(uint64_t oldBytes) {
  keptBytes_ += oldBytes;
  if (keptBytes_ >= kMostKept) removeReplaced();
}

void KeyMigration::removeReplaced() {
  session_.group().checkpoint();
  keptBytes_ = 0;
}

bool KeyMigration::goesOn(uint64_t doneInKeyspace) {
  return progress_(std::min(total_, done_ + doneInKeyspace), total_);
}

bool KeyMigration::convert(Keyspace &keyspace) {
  for (;;) {
    if (!goesOn(0)) return false;
    if (keyspace.isDropped) return true;
    bool gaveUp = false;
    try {
      RecordConversion records(keys_.ring(), keyGeneration_);
      DigestRekeying contents(session_, keyspace, records);
      if (!contents.run([&] { return goesOn(0); })) return false;
      const Rebuilding::Conversion conversion{records, [&] { return contents.digest(); }};
      session_.maintenance().convert(
        keyspace,
        [&](uint64_t done, uint64_t) {
          gaveUp = !goesOn(done);
          return !gaveUp;
        },
        conversion);
      return true;
    } catch (const Rebuilding::Abandoned &) {
      if (gaveUp || session_.isClosing()) return false;
      // A commit has replaced the keyspace's file: try again.
    } catch (Failure &failure) {
      if (failure.code == TDN_NO_SPACE && keptBytes_ > 0) {
        removeReplaced();
        continue;
      }
      if (failure.keyspace == 0) failure.keyspace = keyspace.id;
      throw;
    }
  }
}

bool KeyMigration::finish() {
  if (goal_ == Goal::plain && session_.statesKeyGeneration() != 0) session_.rewriteStates(0, 0);
  for (;;) {
    // An empty log is not replaced, so write one commit to it first.
    session_.commitStates();
    if (session_.group().renewLogs()) break;
    if (!goesOn(0)) return false;
    std::this_thread::sleep_for(kBackupPause);
  }
  if (goal_ == Goal::plain) {
    keys_.remove();
  } else {
    if (keys_.hasEarlierKeys()) keys_.forgetEarlierKeys();
    if (keys_.migration() != StoreKeys::Migration::none) keys_.setMigration(StoreKeys::Migration::none);
  }
  progress_(total_, total_);
  return true;
}

}  // namespace todana
