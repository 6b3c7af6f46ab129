// Changes files as an input describes, and recomputes their checksums, so that checksums do not reveal the damage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Input.h"
#include "SampleStore.h"

namespace todana::fuzzing {

// Returns the offsets in a file at which headers, records, frames and the like begin. Inputs count from these, so that
// small numbers lead to important bytes.
std::vector<int64_t> placesIn(const std::string &name, const std::string &content);

// Applies patches until the input ends. A patch consists of: kind (1 byte), number of a place (2), distance from the
// place (2), length (1), content.
void patch(std::string &content, const std::vector<int64_t> &places, Input &input);

// Returns a patch that overwrites a place with the bytes that it already has.
std::string patchOf(const std::string &content, size_t placeNumber, const std::vector<int64_t> &places, size_t length);

void sealSuperblock(std::string &content);
void sealCommitRing(std::string &content);
// Recomputes the header's checksum only.
void sealPageSums(std::string &content);
// Recomputes all page checksums of a data file, and the size that is stored with them.
void sealDataFile(Files &files, const std::string &name);
// Recomputes the checksums of the headers, and of the frames that were at these places before the damage.
void sealLog(std::string &content, const std::vector<int64_t> &places);

// Returns a log with the header of `log` and with frames from the input, whose checksums are correct. The input has for
// each frame: whether it ends its commit (1 byte), length (2), operations.
std::string logOf(const std::string &log, Input &input);
// Returns the frames of a log, in the form in which `logOf` reads them from its input.
std::vector<std::string> framesOf(const std::string &log, const std::vector<int64_t> &places);

}  // namespace todana::fuzzing
