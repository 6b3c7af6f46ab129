// The store whose files the fuzz inputs damage. It is small, and equal in every process except for random ids.
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

// Returns a key of the sample's byte-key keyspaces. Keys ascend with their numbers.
std::string sampleKey(int number);
constexpr int kSampleKeyCount = 60;

class SampleStore {
 public:
  // Returns the sample, which is made at the first call.
  static const SampleStore &shared();

  // Returns the files after a clean close.
  const Files &closed() const { return closed_; }
  // Returns the files after a kill, when the last commits are in a log.
  const Files &killed() const { return killed_; }

 private:
  SampleStore();

  Files closed_;
  Files killed_;
};

// Returns a directory for the stores of this process, removed at its exit.
const std::string &scratchDirectory();

// Writes the files to a directory, which is created if missing.
void layDown(const Files &files, const std::string &path);
void removeAll(const std::string &path);
Files readAll(const std::string &path);
std::vector<std::string> namesIn(const std::string &path);

// Prints a finding and aborts the process.
[[noreturn]] void found(const std::string &what);

}  // namespace todana::fuzzing
