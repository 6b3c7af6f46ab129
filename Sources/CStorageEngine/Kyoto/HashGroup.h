// The lookup of many keys of a hash file together, so that their memory accesses overlap.
#pragma once

#include "HashFile.h"

namespace todana {

// The number of keys whose buckets and first records are prefetched together. It is large enough to hide the latency of
// memory, and small enough for the cache.
constexpr size_t kHashGroupSize = 16;

// The places of up to kHashGroupSize keys. RowFinder and NameKeyspaceWriter own one. One thread, under the lock under
// which the file is read.
class HashGroup {
 public:
  explicit HashGroup(const HashFile &file) : file_(file) {}

  // Adds key `index` of the group, and prefetches its bucket.
  void add(size_t index, const char *key, size_t length) {
    places_[index] = file_.place(key, length);
    file_.prefetchBucket(places_[index]);
  }
  // Prefetches the first records of the buckets, after all keys were added.
  void fetch(size_t count) {
    for (size_t index = 0; index < count; index++) file_.prefetchRecord(places_[index]);
  }
  HashFile::Place place(size_t index) const { return places_[index]; }

 private:
  const HashFile &file_;
  HashFile::Place places_[kHashGroupSize];
};

}  // namespace todana
