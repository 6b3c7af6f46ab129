#include "Keyspace.h"

#include "../Kyoto/TreeReader.h"

namespace todana {

namespace {

// The size below which a file is not worth a rebuild.
constexpr int64_t kSmallFile = 256 << 10;

}  // namespace

bool Keyspace::isCrowded(const HashFile &current) const {
  const uint64_t bucketCount = static_cast<uint64_t>(current.bucketCount());
  return current.count() > 2 * bucketCount && !(isTree() && bucketCount >= TreeReader::kMostBuckets);
}

bool Keyspace::mayWasteSpace(const HashFile &current) {
  const int64_t size = current.end() - current.recordStart();
  if (neededBytes == 0) noteNeed(mayHaveLostSpace ? 1 : static_cast<uint64_t>(size - pooledBytes()), current);
  if (size < kSmallFile) return false;
  const double needed = static_cast<double>(neededBytes) / (static_cast<double>(neededForUnits) + 1) *
                        (static_cast<double>(unitCount(current)) + 1);
  return wastesSpace(static_cast<double>(size), needed);
}

uint64_t Keyspace::unitCount(const HashFile &current) const {
  return isTree() ? static_cast<uint64_t>(current.count()) : current.rowCount();
}

bool Keyspace::wastesSpace(double size, double needed) { return size > needed * 1.25 + (32 << 10); }

int64_t Keyspace::pooledBytes() const {
  int64_t bytes = 0;
  for (const auto &block : pool.blocks) bytes += static_cast<int64_t>(block.rsiz);
  return bytes;
}

}  // namespace todana
