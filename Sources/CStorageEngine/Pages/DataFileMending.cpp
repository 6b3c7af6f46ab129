// DataFile's pages with a single wrong bit: found when they are read, and written as they should be by the next commit.
#include "DataFile.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "../Disk/Checksum.h"
#include "../Disk/Mending.h"
#include "FileGroup.h"
#include "PageSums.h"

namespace todana {

namespace {

// Each takes ten milliseconds to find out.
constexpr size_t kMostHopelessPages = 256;

}  // namespace

bool DataFile::hasRightSum(int64_t page) const {
  uint64_t expected;
  if (!sums_->find(page, &expected)) return false;
  const uint64_t found = pageChecksum(base_ + page * kPageSize, number_, page);
  return found == expected || (mendsBits_ && mend(page, expected, found));
}

// Nobody has looked at the page yet but for its checksum, and nobody lets go of it meanwhile.
bool DataFile::mend(int64_t page, uint64_t expected, uint64_t found) const {
  const bool isSumWrong = differInOneBit(found, expected);
  if (!isSumWrong && page * kPageSize >= mendableEnd_.load(std::memory_order_relaxed)) return false;
  std::unique_lock<std::shared_mutex> lock(group_.mendingLock_);
  const auto number = static_cast<uint32_t>(page);
  // Another thread may have been here.
  if (isMended(page)) return true;
  if (!isSumWrong) {
    const bool isHopeless =
      hopelessPages_.size() >= kMostHopelessPages ||
      std::find(hopelessPages_.begin(), hopelessPages_.end(), number) != hopelessPages_.end();
    if (isHopeless) return false;
    char content[kPageSize];
    std::memcpy(content, base_ + page * kPageSize, kPageSize);
    if (!mendBit(content, kPageSize, [&] { return pageChecksum(content, number_, page) == expected; })) {
      hopelessPages_.push_back(number);
      return false;
    }
    std::memcpy(base_ + page * kPageSize, content, kPageSize);
  }
  mendedPages_.push_back(number);
  hasMended_ = true;
  return true;
}

const char *DataFile::repairedCopy(int64_t page) const {
  uint64_t expected;
  if (!sums_ || !sums_->find(page, &expected)) return nullptr;
  {
    std::shared_lock<std::shared_mutex> lock(group_.mendingLock_);
    if (auto known = repairedCopies_.find(page); known != repairedCopies_.end()) return known->second.get();
    if (repairedCopies_.size() >= kMostHopelessPages) return nullptr;
  }
  auto content = std::make_unique<char[]>(kPageSize);
  std::memcpy(content.get(), base_ + page * kPageSize, kPageSize);
  const auto sum = [&] { return pageChecksum(content.get(), number_, page); };
  const uint64_t found = sum();
  const bool isRight = found == expected || differInOneBit(found, expected) ||
                       mendBit(content.get(), kPageSize, [&] { return sum() == expected; });
  if (!isRight) content = nullptr;
  std::unique_lock<std::shared_mutex> lock(group_.mendingLock_);
  return repairedCopies_.try_emplace(page, std::move(content)).first->second.get();
}

bool DataFile::isDamaged(int64_t page) const {
  const bool exists = page >= 0 && page < pageCeiling(committedSize_) / kPageSize && state_ == State::normal;
  return exists && !isVerified(page) && !checkPage(page);
}

bool DataFile::repairPage(int64_t page) {
  if (!isDamaged(page)) return false;
  const char *content = repairedCopy(page);
  if (!content) return false;
  std::memcpy(base_ + page * kPageSize, content, kPageSize);
  noteRepaired(page);
  return true;
}

bool DataFile::acceptPage(int64_t page) {
  if (!isDamaged(page)) return false;
  noteRepaired(page);
  return true;
}

void DataFile::noteRepaired(int64_t page) {
  std::unique_lock<std::shared_mutex> lock(group_.mendingLock_);
  mendedPages_.push_back(static_cast<uint32_t>(page));
  hasMended_ = true;
  setVerified(page);
  repairCount_.fetch_add(1, std::memory_order_release);
}

void DataFile::rewriteMended() {
  if (!hasMended_ || state_ != State::normal) return;
  for (uint32_t page : mendedPages_) {
    if (loggedGeneration_[page] == 0) markDirty(page, ~0ULL);
  }
}

void DataFile::forgetMended(int64_t page) {
  if (!hasMended_) return;
  mendedPages_.erase(std::remove(mendedPages_.begin(), mendedPages_.end(), page), mendedPages_.end());
  hasMended_ = !mendedPages_.empty();
}

}  // namespace todana
