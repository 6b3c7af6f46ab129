// The names of a store's files, for code that has not read the catalog. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace todana {

// Returns the number at the start of the name of a data file, or of its file of checksums: `0007-Song.kch`,
// `0007.kch.sums`.
inline std::optional<uint32_t> fileNumberIn(const std::string &name) {
  const size_t end = name.find_first_not_of("0123456789");
  if (end == std::string::npos || end < 4 || end > 10 || (name[end] != '-' && name[end] != '.')) return std::nullopt;
  const unsigned long long number = std::stoull(name.substr(0, end));
  return number > UINT32_MAX ? std::nullopt : std::optional<uint32_t>(static_cast<uint32_t>(number));
}

// Tests whether a name is that of a log, or of the list of the last commits.
inline bool isFileOfCommits(const std::string &name) { return name == "log-a" || name == "log-b" || name == "commits"; }

}  // namespace todana
