#include "PageCache.h"

#include <algorithm>

namespace todana::text {

PageCache::PageCache(size_t byteCapacity) : sets_(std::max<size_t>(1, byteCapacity / (kWays * sizeof(Page)))) {}

size_t PageCache::set(uint64_t tables, uint64_t number) const {
  // Fibonacci hashing: the high bits of the product are well mixed.
  const uint64_t mixed = (tables * 0xD6E8FEB86659FD93 + number) * 0x9E3779B97F4A7C15;
  return static_cast<size_t>((mixed >> 32) * sets_.size() >> 32);
}

SharedPage PageCache::find(uint64_t tables, uint64_t number) {
  const size_t index = set(tables, number);
  const std::lock_guard<std::mutex> lock(locks_[index % kLocks]);
  SharedPage *const pages = sets_[index].pages;
  for (size_t way = 0; way < kWays && pages[way] != nullptr; way++) {
    if (pages[way]->number != number || pages[way]->tables != tables) continue;
    std::rotate(pages, pages + way, pages + way + 1);
    return pages[0];
  }
  return nullptr;
}

void PageCache::insert(const SharedPage &page) {
  const size_t index = set(page->tables, page->number);
  const std::lock_guard<std::mutex> lock(locks_[index % kLocks]);
  SharedPage *const pages = sets_[index].pages;
  std::rotate(pages, pages + kWays - 1, pages + kWays);
  pages[0] = page;
}

const SharedPage &SegmentPages::page(uint64_t number) {
  Set &set = sets_[number % kSets];
  if (SharedPage &newest = set.pages[set.newest]; newest != nullptr && newest->number == number) return newest;
  SharedPage &older = set.pages[1 - set.newest];
  if (older == nullptr || older->number != number) older = read(number, older);
  set.newest = 1 - set.newest;
  return older;
}

SharedPage SegmentPages::read(uint64_t number, SharedPage &old) {
  if (cache_ != nullptr) {
    if (SharedPage page = cache_->find(tables_, number)) return page;
  }
  std::shared_ptr<Page> page;
  if (cache_ == nullptr && old != nullptr && old.use_count() == 1) {
    // Nobody else reads the page, which was made here.
    page = std::const_pointer_cast<Page>(std::move(old));
    old = nullptr;
  } else {
    page = std::make_shared<Page>();
  }
  page->size = source_.read(number, page->bytes);
  if (page->size > kPageSize) throw Damaged();
  page->tables = tables_;
  page->number = number;
  if (cache_ != nullptr) cache_->insert(page);
  return page;
}

}  // namespace todana::text
