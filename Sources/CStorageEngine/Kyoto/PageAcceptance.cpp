#include "PageAcceptance.h"

namespace todana {

// The blocks must follow one another. The numbers of records and rows must be those in the header. In each chain with a
// record on the page, the links must lead to each record exactly once.
bool PageAcceptance::isAcceptable() {
  if (first_ < file_.recordStart() || !file_.recordCheck()) return false;
  const bool isSequence = forEachRecord([&](const HashRecovery::Block &record) {
    recordCount_++;
    if (isOnPage(record)) chains_[bucket(record)];
    return noteRows(record);
  });
  if (!isSequence || recordCount_ != file_.count() || rowCount_ != file_.rowCount()) return false;
  const bool isReachable = forEachRecord([&](const HashRecovery::Block &record) {
    auto chain = chains_.find(bucket(record));
    if (chain == chains_.end()) return true;
    chain->second.recordCount++;
    chain->second.linkCount += static_cast<uint64_t>((record.left != 0) + (record.right != 0));
    return leadsTo(record);
  });
  if (!isReachable) return false;
  for (const auto &[bucket, chain] : chains_) {
    if (chain.linkCount + 1 != chain.recordCount) return false;
  }
  return true;
}

// Calls `visit` with each record. Returns false if `visit` did, or if the sequence of blocks is broken.
template <class Visit> bool PageAcceptance::forEachRecord(Visit visit) {
  HashRecovery::Block block;
  for (int64_t offset = file_.recordStart(); offset < file_.end(); offset += block.size) {
    if (!recovery_.readBlock(offset, block) || !recovery_.isPlaced(block) || !recovery_.hasRightEnd(block)) return false;
    if (!block.isFree && !visit(block)) return false;
  }
  return true;
}

// Counts the record's rows. Returns false if a row on the page has damage that its own check would not detect.
bool PageAcceptance::noteRows(const HashRecovery::Block &record) {
  const std::string_view value(record.value, record.valueLength);
  const char *key = record.keyBytes.data();
  const size_t keyLength = record.keyBytes.size();
  uint64_t number;
  if (file_.recordCheck()->hasRows() && PackKey::parse(key, keyLength, &number)) {
    HashRecovery::Pack pack;
    if (!recovery_.openPack(record, pack)) return false;
    rowCount_ += static_cast<uint64_t>(pack.rowCount());
    if (!isOnPage(record)) return true;
    for (uint32_t rest = pack.rows(); rest != 0; rest &= rest - 1) {
      const int index = __builtin_ctz(rest);
      std::string_view row;
      if (!pack.row(index, row) || !isDetectable((number << kPackPower) + static_cast<uint64_t>(index), row)) return false;
    }
    return true;
  }
  rowCount_++;
  if (!isOnPage(record)) return true;
  if (!file_.recordCheck()->hasRows()) return isDetectable(std::string_view(record.keyBytes), value);
  return RowKey::parse(key, keyLength, &number) && isDetectable(number, value);
}

bool PageAcceptance::isDetectable(uint64_t row, std::string_view value) const {
  return recovery_.isSound(row, value) || file_.recordCheck()->isRecord(value);
}

bool PageAcceptance::isDetectable(std::string_view key, std::string_view value) const {
  return recovery_.isSound(key, value) || file_.recordCheck()->isRecord(value);
}

// Tests whether a walk for the record's key, over the links as they are, ends at the record.
bool PageAcceptance::leadsTo(const HashRecovery::Block &record) const {
  const HashFile::Place place = file_.place(record.keyBytes.data(), record.keyBytes.size());
  int64_t offset = static_cast<int64_t>(
    readAddress(file_.file()->at(file_.bucketOffset(place.bucket))) << file_.alignmentPower());
  if (!file_.file()->isSound(file_.bucketOffset(place.bucket), kAddressSize)) return false;
  HashRecovery::Block block;
  for (uint64_t step = 0; offset > 0 && step <= file_.count(); step++) {
    if (offset == record.offset) return true;
    if (!recovery_.readBlock(offset, block) || block.isFree) return false;
    offset = HashFile::goesLeft(record.keyBytes, place, block.keyBytes) ? block.left : block.right;
  }
  return false;
}

}  // namespace todana
