// Functions that write and read entire directories for a simulation.
#pragma once

#include <filesystem>
#include <string>

#include "RecordingDisk.h"

namespace todana::simulation {

void lay(const std::filesystem::path &directory, const FileSystem &files);
std::string readFile(const std::filesystem::path &path);
FileSystem readAll(const std::filesystem::path &directory);

// Throws std::runtime_error if the condition is false.
void require(bool condition, const std::string &what);

}  // namespace todana::simulation
