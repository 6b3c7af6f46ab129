// Changes files as an input says, and makes checksums fit again, so that damage gets past them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Input.h"
#include "SampleStore.h"

namespace todana::fuzzing {

// Offsets in a file where something begins: headers, records, frames. Inputs count from these, so that small numbers
// lead to where it matters.
std::vector<int64_t> placesIn(const std::string &name, const std::string &content);

// Takes patches until the input ends. Each is: kind 1, number of a place 2, distance from it 2, length 1, content.
void patch(std::string &content, const std::vector<int64_t> &places, Input &input);

// A patch that writes over a place what stands there.
std::string patchOf(const std::string &content, size_t placeNumber, const std::vector<int64_t> &places, size_t length);

void sealSuperblock(std::string &content);
void sealCommitRing(std::string &content);
// The header's checksum only.
void sealPageSums(std::string &content);
// All of a data file's page checksums, and what they say of its size.
void sealDataFile(Files &files, const std::string &name);
// Headers, and the frames that stood at these places before.
void sealLog(std::string &content, const std::vector<int64_t> &places);

// A log whose frames have the input's bytes as their operations. Each frame is: whether it ends its commit 1, length 2,
// content.
std::string logOf(const std::string &log, Input &input);
// The operations of a log's frames, as `logOf` takes them.
std::vector<std::string> framesOf(const std::string &log, const std::vector<int64_t> &places);

}  // namespace todana::fuzzing
