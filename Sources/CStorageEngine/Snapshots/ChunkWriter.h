// The writer that fills a caller's chunk with records.
#pragma once

#include <cstring>
#include <string_view>

#include "../include/StorageEngineReading.h"

namespace todana {

// A chunk being filled, which never contains part of a record. The functions of StorageEngineReading and WholeScan make
// it; HashScan, TreeScan and RecordReader add to it.
//
// One thread; it needs no lock, because the chunk belongs to the caller.
class ChunkWriter {
 public:
  explicit ChunkWriter(tdn_chunk &chunk) : chunk_(chunk) {
    chunk.byte_count = 0;
    chunk.slice_count = 0;
    chunk.needed = 0;
    chunk.sealed = false;
  }

  // Tests whether the records come from an encrypted store.
  bool isSealed() const { return chunk_.sealed; }
  void setSealed(bool isSealed) { chunk_.sealed = isSealed; }
  // Removes all records.
  void clear() {
    chunk_.byte_count = 0;
    chunk_.slice_count = 0;
    chunk_.needed = 0;
  }

  // Tests whether the caller wants rows and keys only. Then every value is empty.
  bool leavesOutValues() const { return chunk_.leaves_out_values; }
  size_t byteCount() const { return chunk_.byte_count; }
  size_t sliceCount() const { return chunk_.slice_count; }

  // Makes room for one more record. Returns the place of its value; null if the chunk is full.
  char *add(uint64_t row, std::string_view key, size_t valueLength, tdn_slice_status status) {
    size_t byteCount = key.size() + valueLength;
    if (chunk_.slice_count == chunk_.slice_capacity || byteCount > chunk_.byte_capacity - chunk_.byte_count) {
      if (chunk_.slice_count == 0) chunk_.needed = byteCount;
      return nullptr;
    }
    char *bytes = reinterpret_cast<char *>(chunk_.bytes) + chunk_.byte_count;
    if (!key.empty()) std::memcpy(bytes, key.data(), key.size());
    chunk_.slices[chunk_.slice_count++] = {
      row, chunk_.byte_count + key.size(), valueLength, static_cast<uint32_t>(key.size()), status};
    chunk_.byte_count += byteCount;
    return bytes + key.size();
  }

  bool add(uint64_t row, std::string_view key, const char *value, size_t valueLength) {
    if (leavesOutValues()) valueLength = 0;
    char *bytes = add(row, key, valueLength, TDN_FOUND);
    if (bytes && valueLength > 0) std::memcpy(bytes, value, valueLength);
    return bytes;
  }

  // Reserves room for several rows whose values are in one piece, without adding them. Returns null if the chunk has no
  // room.
  char *reserve(size_t sliceCount, size_t byteCount) {
    if (sliceCount > chunk_.slice_capacity - chunk_.slice_count) return nullptr;
    if (byteCount > chunk_.byte_capacity - chunk_.byte_count) return nullptr;
    return reinterpret_cast<char *>(chunk_.bytes) + chunk_.byte_count;
  }
  // Describes row `index` of a reserved piece. `offset`: the offset of its value within the piece.
  void putReserved(size_t index, uint64_t row, size_t offset, size_t length) {
    chunk_.slices[chunk_.slice_count + index] = {row, chunk_.byte_count + offset, length, 0, TDN_FOUND};
  }
  // Adds the reserved rows, all of which must have been described.
  void addReserved(size_t sliceCount, size_t byteCount) {
    chunk_.slice_count += sliceCount;
    chunk_.byte_count += byteCount;
  }

 private:
  tdn_chunk &chunk_;
};

}  // namespace todana
