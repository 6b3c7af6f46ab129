// The store that inputs damage: small, and the same in every process but for random ids.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace todana::fuzzing {

// Files by name.
using Files = std::map<std::string, std::string>;

constexpr const char *kRowsFile = "0002-Song.kch";
constexpr const char *kKeysFile = "0003-buffers.kch";
constexpr const char *kTreeFile = "0004-index.kct";
constexpr const char *kStatesFile = "0000-states.tds";
constexpr const char *kCatalogFile = "0001-catalog.kch";

// Keys of the sample's byte-key keyspaces, in the order of a batch.
std::string sampleKey(int number);
constexpr int kSampleKeyCount = 60;

class SampleStore {
 public:
  // Made at the first call.
  static const SampleStore &shared();

  // After a clean close.
  const Files &closed() const { return closed_; }
  // After a kill: the last commits stand in a log.
  const Files &killed() const { return killed_; }

 private:
  SampleStore();

  Files closed_;
  Files killed_;
};

// A directory for one process's stores, removed at its end.
const std::string &scratchDirectory();

// An empty directory but for these files.
void layDown(const Files &files, const std::string &path);
void removeAll(const std::string &path);
Files readAll(const std::string &path);
std::vector<std::string> namesIn(const std::string &path);

// Says what is wrong and ends the process: to a fuzzer, a finding.
[[noreturn]] void found(const std::string &what);

}  // namespace todana::fuzzing
