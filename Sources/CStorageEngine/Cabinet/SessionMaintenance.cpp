// Maintenance of a session's files: compaction, verification and statistics.
#include "Session.h"

#include "../include/StorageEngineVerification.h"

namespace todana {

bool Session::compact(uint32_t id, const Rebuilding::Progress &progress) {
  Keyspace &keyspace = table_->keyspace(id);
  if (isReadOnly_) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
  group_->throwIfPoisoned();
  const bool isCompacted = repairing([&] { return maintenance_->compact(keyspace, progress); });
  // The checkpoint removes the replaced file, even if a rebuild in the background replaced it just before.
  group_->checkpoint();
  return isCompacted;
}

Session::Space Session::space(uint32_t id, const Rebuilding::Progress &progress) {
  Keyspace &keyspace = table_->keyspace(id);
  std::shared_ptr<const HashFile> file = table_->file(keyspace, false);
  if (!file) return {};
  std::unique_ptr<RebuildSource> rebuildSource;
  Space space;
  uint64_t rowCount;
  {
    FileGroup::ReadLock lock(*group_);
    rebuildSource = RebuildSource::make(file, keyspace);
    space.fileBytes = static_cast<uint64_t>(file->end());
    rowCount = file->rowCount();
  }
  for (bool hasMore = true; hasMore;) {
    if (!progress(rebuildSource->surveyed(), rebuildSource->total())) {
      throw Failure(TDN_INTERRUPTED, "measuring the space was cancelled");
    }
    {
      FileGroup::ReadLock lock(*group_);
      hasMore = rebuildSource->survey();
    }
    rebuildSource->sortOut(!hasMore);
  }
  const uint64_t buckets = Maintenance::tightBucketCount(rebuildSource->recordCount(), rowCount, *file);
  const uint64_t bucketBytes = static_cast<uint64_t>(file->bucketCount()) * kAddressSize;
  const uint64_t shortest = space.fileBytes - rebuildSource->total() - bucketBytes + buckets * kAddressSize + rebuildSource->byteCount();
  space.neededBytes = std::min(space.fileBytes, shortest);
  return space;
}

FileGroup::Verified Session::verifyPart(uint32_t id, int64_t firstPage, std::string &fileName) {
  if (id == TDN_CATALOG || id == TDN_STATES) {
    fileName = id == TDN_CATALOG ? Catalog::kFileName : DigestFile::kFileName;
    if (group_->commitNumber() == 0) return {};  // the first commit creates the file
    const uint32_t number = id == TDN_CATALOG ? Catalog::kFileNumber : DigestFile::kFileNumber;
    return group_->verifyMain(number, fileName, firstPage, TDN_VERIFIED_PAGES);
  }
  Keyspace &keyspace = table_->keyspace(id);
  for (;;) {
    const uint32_t number = keyspace.fileNumber;
    if (number == 0) return {};
    fileName = table_->fileName(keyspace, number);
    try {
      FileGroup::Verified verified = group_->verifyMain(number, fileName, firstPage, TDN_VERIFIED_PAGES);
      if (keyspace.fileNumber == number) return verified;
    } catch (const Failure &) {
      if (keyspace.fileNumber == number) throw;
    }
    // A commit has replaced the file. The new file is checked from the same page on.
  }
}

tdn_statistics Session::statistics() {
  tdn_statistics statistics = group_->statistics();
  statistics.growths = maintenance_ ? maintenance_->growthCount() : 0;
  statistics.compactions = maintenance_ ? maintenance_->compactionCount() : 0;
  return statistics;
}

}  // namespace todana
