// DataFile's pages with a single wrong bit: found when they are read, and written as they should be by the next commit.
#include "DataFile.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "Checksum.h"
#include "FileGroup.h"
#include "Mending.h"
#include "PageSums.h"

namespace todana {

namespace {

// Each takes ten milliseconds to find out.
constexpr size_t kMostHopelessPages = 256;

}  // namespace

bool DataFile::isSound(int64_t page) const {
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
