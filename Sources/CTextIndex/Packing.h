// Numbers of equal width, with exceptions (patched frame of reference).
//
// Format: a byte with the width in bits, plus 64 if there are exceptions; the number of exceptions; the low bits of all
// numbers; for each exception its index and a varint of its bits above the width. After Zukowski et al., "Super-Scalar
// RAM-CPU Cache Compression", 2006.
#pragma once

#include "Coding.h"

namespace todana::text {

// The most numbers of one group.
constexpr size_t kGroup = 128;

void pack(const uint32_t *values, size_t count, Bytes &output);
void unpack(Input &input, size_t count, uint32_t *values);
// Skips numbers that `pack` has written.
void skipPacked(Input &input, size_t count);

}  // namespace todana::text
