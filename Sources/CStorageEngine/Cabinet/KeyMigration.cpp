#include "KeyMigration.h"

#include <chrono>
#include <thread>

#include "ContentsRekeying.h"

namespace todana {

namespace {

// How long a backup is waited for before it is asked again whether to go on.
constexpr auto kBackupPause = std::chrono::milliseconds(20);

// Of old files, before they are let go: the whole store shall not be there twice.
constexpr uint64_t kMostKept = 64 << 20;

}  // namespace

bool KeyMigration::run(const Rebuilding::Progress &progress) {
  progress_ = progress;
  begin();
  std::vector<Structure *> left = remaining();
  for (Structure *structure : left) total_ += fileSize(*structure);
  // New structures belong to the new generation from the start, so these become fewer.
  for (; !left.empty(); left = remaining()) {
    for (Structure *structure : left) {
      const uint64_t size = fileSize(*structure);
      if (!convert(*structure)) return false;
      done_ = std::min(total_, done_ + size);
      letGo(size);
    }
  }
  return finish();
}

// Catalog and states are encrypted first, and decrypted last: which structures are plain must not be for anybody to say.
void KeyMigration::begin() {
  session_.requireConsistentStates();
  const uint32_t states = session_.statesGeneration();
  const uint32_t sealed = goal_ == Goal::plain ? states : generation_;
  // The first commit makes catalog and states.
  const bool isEmpty = session_.group().commitNumber() == 0;
  if (isEmpty || states != sealed || session_.table().newGeneration() != generation_) {
    session_.rewriteStates(sealed, generation_);
  }
}

std::vector<Structure *> KeyMigration::remaining() {
  std::vector<Structure *> left;
  for (Structure *structure : session_.table().all()) {
    if (structure->fileNumber == 0) continue;
    FileGroup::ReadLock lock(session_.group());
    if (structure->contents.generation != generation_) left.push_back(structure);
  }
  return left;
}

uint64_t KeyMigration::fileSize(Structure &structure) {
  const std::shared_ptr<const HashFile> file = session_.table().file(structure, false);
  return file ? static_cast<uint64_t>(file->end()) : 0;
}

void KeyMigration::letGo(uint64_t oldBytes) {
  keptBytes_ += oldBytes;
  if (keptBytes_ < kMostKept) return;
  session_.group().checkpoint();
  keptBytes_ = 0;
}

bool KeyMigration::goesOn(uint64_t doneInStructure) {
  return progress_(std::min(total_, done_ + doneInStructure), total_);
}

bool KeyMigration::convert(Structure &structure) {
  for (;;) {
    if (!goesOn(0)) return false;
    bool gaveUp = false;
    try {
      RecordConversion records(keys_.ring(), generation_);
      ContentsRekeying contents(session_, structure, records);
      if (!contents.run([&] { return goesOn(0); })) return false;
      const Rebuilding::Conversion conversion{records, [&] { return contents.digest(); }};
      session_.maintenance().convert(
        structure,
        [&](uint64_t done, uint64_t) {
          gaveUp = !goesOn(done);
          return !gaveUp;
        },
        conversion);
      return true;
    } catch (const Rebuilding::Abandoned &) {
      if (gaveUp || session_.isClosing()) return false;
      // A commit gave the structure another file.
    } catch (Failure &failure) {
      if (failure.structure == 0) failure.structure = structure.id;
      throw;
    }
  }
}

bool KeyMigration::finish() {
  if (goal_ == Goal::plain && session_.statesGeneration() != 0) session_.rewriteStates(0, 0);
  for (;;) {
    // A log that nothing stands in is not replaced.
    session_.commitStates();
    if (session_.group().renewLogs()) break;
    if (!goesOn(0)) return false;
    std::this_thread::sleep_for(kBackupPause);
  }
  if (goal_ == Goal::plain) {
    keys_.remove();
  } else {
    if (keys_.hasFormer()) keys_.forgetFormer();
    if (keys_.migration() != StoreKeys::Migration::none) keys_.setMigration(StoreKeys::Migration::none);
  }
  progress_(total_, total_);
  return true;
}

}  // namespace todana
