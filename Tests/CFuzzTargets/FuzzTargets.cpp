// The inputs of all parts begin with two bytes: one selects the damage, one the use of the store afterwards.
#include "CFuzzTargets.h"

#include <fstream>
#include <iterator>

#include "Damage.h"
#include "StoreUse.h"

namespace todana::fuzzing {

namespace {

// Bits of the first byte.
constexpr uint8_t kIsKilled = 1;        // uses the sample that has a log
constexpr uint8_t kIsReadOnly = 2;
constexpr uint8_t kIsStrict = 4;
constexpr uint8_t kIsUnsealed = 8;      // checksums are not recomputed
constexpr uint8_t kIsRewritten = 16;    // redo log: all frames come from the input
constexpr int kChoiceShift = 5;         // selects the file

// Bits of the second byte.
constexpr uint8_t kCommits = 1;
constexpr uint8_t kHoldsSnapshot = 2;
constexpr uint8_t kCheckpoints = 4;
constexpr uint8_t kReopens = 8;
constexpr uint8_t kOpensTwice = 16;
constexpr uint8_t kPutsLargeValues = 32;
constexpr uint8_t kReadsInSmallSteps = 64;
constexpr uint8_t kSalvages = 128;      // before anything else

std::string fileFor(tdn_fuzz_part part, int choice, const Files &files) {
  static const char *const kDataFiles[] = {kCatalogFile, kRowsFile, kKeysFile, kTreeFile};
  switch (part) {
    case TDN_FUZZ_SUPERBLOCK: return "superblock";
    case TDN_FUZZ_CATALOG: return kCatalogFile;
    case TDN_FUZZ_REDO_LOG: return files.count("log-a") ? "log-a" : "log-b";
    case TDN_FUZZ_COMMIT_RING: return "commits";
    case TDN_FUZZ_PAGE_SUMS: return std::string(kDataFiles[choice % 4]) + ".sums";
    case TDN_FUZZ_HASH_FILE: return choice % 2 ? kKeysFile : kRowsFile;
    case TDN_FUZZ_TREE_FILE: return kTreeFile;
    case TDN_FUZZ_STATES: return kStatesFile;
  }
  found("there is no such part");
}

const Files &sample(tdn_fuzz_part part, uint8_t how) {
  const bool isKilled = how & kIsKilled || part == TDN_FUZZ_REDO_LOG;
  return isKilled ? SampleStore::shared().killed() : SampleStore::shared().closed();
}

void damage(Files &files, tdn_fuzz_part part, uint8_t how, Input &input) {
  const std::string name = fileFor(part, how >> kChoiceShift, files);
  std::string &content = files[name];
  if (part == TDN_FUZZ_REDO_LOG && how & kIsRewritten) {
    content = logOf(content, input);
    return;
  }
  const std::vector<int64_t> places = placesIn(name, content);
  patch(content, places, input);
  if (how & kIsUnsealed) return;
  switch (part) {
    case TDN_FUZZ_SUPERBLOCK: return sealSuperblock(content);
    case TDN_FUZZ_REDO_LOG: return sealLog(content, places);
    case TDN_FUZZ_COMMIT_RING: return sealCommitRing(content);
    case TDN_FUZZ_PAGE_SUMS: return sealPageSums(content);
    case TDN_FUZZ_CATALOG:
    case TDN_FUZZ_STATES:
    case TDN_FUZZ_HASH_FILE:
    case TDN_FUZZ_TREE_FILE: return sealDataFile(files, name);
  }
}

}  // namespace

}  // namespace todana::fuzzing

using namespace todana::fuzzing;

void tdn_fuzz_store(tdn_fuzz_part part, const uint8_t *bytes, size_t byte_count) {
  Input input(bytes, byte_count);
  const uint8_t how = input.take<uint8_t>(), what = input.take<uint8_t>();
  Files files = sample(part, how);
  damage(files, part, how, input);

  const std::string path = scratchDirectory() + "/store";
  layDown(files, path);
  Use session;
  session.isReadOnly = how & kIsReadOnly;
  session.isStrict = how & kIsStrict;
  session.commits = what & kCommits;
  session.holdsSnapshot = what & kHoldsSnapshot;
  session.checkpoints = what & kCheckpoints;
  session.reopens = what & kReopens;
  session.putsLargeValues = what & kPutsLargeValues;
  session.readsInSmallSteps = what & kReadsInSmallSteps;
  if (what & kSalvages) salvage(path);
  if (use(path, session) && what & kOpensTwice) use(path, Use());
  removeAll(path);
  // Names in damaged files must not lead outside of the store.
  for (const std::string &name : namesIn(scratchDirectory())) found("there is a file outside of the store: " + name);
}

void tdn_make_sums_right(const char *directory, const char *name) {
  Files files = readAll(directory);
  sealDataFile(files, name);
  std::ofstream(std::string(directory) + "/" + name + ".sums", std::ios::binary) << files[std::string(name) + ".sums"];
}

void tdn_fuzz_seeds(tdn_fuzz_part part, void *context, void (*visit)(void *, const uint8_t *, size_t)) {
  constexpr size_t kMostPlaces = 24, kSeedLength = 40;
  auto add = [&](uint8_t how, uint8_t what, const std::string &rest) {
    const std::string seed = std::string{static_cast<char>(how), static_cast<char>(what)} + rest;
    visit(context, reinterpret_cast<const uint8_t *>(seed.data()), seed.size());
  };
  // Seeds that do everything are slow, so most do less.
  const uint8_t uses[] = {
    0, kCommits, kCommits | kOpensTwice, kCommits | kHoldsSnapshot | kCheckpoints, kCommits | kReopens,
    kSalvages};
  const uint8_t everything = kCommits | kHoldsSnapshot | kCheckpoints | kReopens | kOpensTwice;
  const int choices = part == TDN_FUZZ_PAGE_SUMS ? 4 : part == TDN_FUZZ_HASH_FILE ? 2 : 1;
  for (int choice = 0; choice < choices; choice++) {
    const uint8_t how = static_cast<uint8_t>(choice << kChoiceShift);
    const Files &files = sample(part, how);
    const std::string name = fileFor(part, choice, files);
    const std::string &content = files.at(name);
    const std::vector<int64_t> places = placesIn(name, content);
    add(how | kIsKilled | kIsReadOnly, kReadsInSmallSteps, {});
    add(how | kIsKilled | kIsStrict, everything | kPutsLargeValues, {});
    add(how | kIsKilled, kSalvages, {});
    for (size_t index = 0; index < kMostPlaces; index++) {
      const size_t step = std::max<size_t>(places.size() / kMostPlaces, 1), number = index * step;
      if (number >= places.size()) break;
      add(how | (index % 3 == 0 ? kIsKilled : 0), uses[index % std::size(uses)], patchOf(content, number, places, kSeedLength));
    }
    if (part != TDN_FUZZ_REDO_LOG) continue;
    std::string all;
    for (const std::string &frame : framesOf(content, places)) {
      add(kIsRewritten, kCommits | kOpensTwice, frame);
      add(kIsRewritten | kIsReadOnly, 0, frame);
      all += frame;
    }
    add(kIsRewritten, kCommits | kOpensTwice, all);
  }
}
