#include "PageRepairs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "../Disk/Checksum.h"
#include "../Disk/BitRepair.h"

namespace todana {

namespace {

// The maximum number of pages with several wrong bits. The search takes ten milliseconds for each.
constexpr size_t kMostHopelessPages = 256;

}  // namespace

bool PageRepairs::repair(char *content, int64_t page, uint64_t expectedSum, uint64_t foundSum) {
  const bool isSumWrong = differInOneBit(foundSum, expectedSum);
  if (!isSumWrong && page * kPageSize >= end_.load(std::memory_order_relaxed)) return false;
  ReaderWriterLock::Exclusive lock(lock_);
  const auto number = static_cast<uint32_t>(page);
  // Another thread may have repaired the page.
  if (contains(page)) return true;
  if (!isSumWrong) {
    if (isHopeless(number)) return false;
    char repaired[kPageSize];
    std::memcpy(repaired, content, kPageSize);
    if (!repairBit(repaired, kPageSize, [&] { return pageChecksum(repaired, fileNumber_, page) == expectedSum; })) {
      hopelessPages_.push_back(number);
      return false;
    }
    std::memcpy(content, repaired, kPageSize);
  }
  pages_.push_back(number);
  hasPages_ = true;
  return true;
}

bool PageRepairs::isHopeless(uint32_t page) const {
  return hopelessPages_.size() >= kMostHopelessPages ||
         std::find(hopelessPages_.begin(), hopelessPages_.end(), page) != hopelessPages_.end();
}

const char *PageRepairs::copy(const char *content, int64_t page, uint64_t expectedSum) {
  {
    ReaderWriterLock::Shared lock(lock_);
    if (auto known = copies_.find(page); known != copies_.end()) return known->second.get();
    if (copies_.size() >= kMostHopelessPages) return nullptr;
  }
  auto repaired = std::make_unique<char[]>(kPageSize);
  std::memcpy(repaired.get(), content, kPageSize);
  const auto sum = [&] { return pageChecksum(repaired.get(), fileNumber_, page); };
  const uint64_t found = sum();
  const bool isRight = found == expectedSum || differInOneBit(found, expectedSum) ||
                       repairBit(repaired.get(), kPageSize, [&] { return sum() == expectedSum; });
  if (!isRight) repaired = nullptr;
  ReaderWriterLock::Exclusive lock(lock_);
  return copies_.try_emplace(page, std::move(repaired)).first->second.get();
}

void PageRepairs::add(int64_t page) {
  ReaderWriterLock::Exclusive lock(lock_);
  pages_.push_back(static_cast<uint32_t>(page));
  hasPages_ = true;
  count_.fetch_add(1, std::memory_order_release);
}

void PageRepairs::forget(int64_t page) {
  if (isEmpty()) return;
  ReaderWriterLock::Exclusive lock(lock_);
  pages_.erase(std::remove(pages_.begin(), pages_.end(), page), pages_.end());
  hasPages_ = !pages_.empty();
}

void PageRepairs::forgetFrom(int64_t firstPage) {
  if (isEmpty()) return;
  ReaderWriterLock::Exclusive lock(lock_);
  pages_.erase(
    std::remove_if(pages_.begin(), pages_.end(), [=](uint32_t page) { return page >= firstPage; }), pages_.end());
  hasPages_ = !pages_.empty();
}

// Not checked by the compiler: one of two locks is enough, and the state lock belongs to the group.
bool PageRepairs::contains(int64_t page) const TDN_UNCHECKED_LOCKS {
  return !isEmpty() && std::find(pages_.begin(), pages_.end(), page) != pages_.end();
}

std::vector<uint32_t> PageRepairs::pages() const {
  ReaderWriterLock::Shared lock(lock_);
  return pages_;
}

}  // namespace todana
