#include "DictionaryWriter.h"

#include <algorithm>

namespace todana::text {

namespace {

// The largest list that is in the dictionary's page.
constexpr size_t kMostInPage = 128;

}  // namespace

void DictionaryWriter::add(Key key, const Postings &postings, const std::vector<uint32_t> &lengths) {
  const ListShape form = shape(static_cast<uint8_t>(key[0]), keepsPositions_);
  encode(postings, form, lengths, list_);
  entry_.clear();
  appendVarint(entry_, postings.documents.size());
  appendList(list_.documents, postings_);
  if (form.hasPositions) appendList(list_.positions, positions_);
  // The lengths of both parts of the key have at most two bytes each.
  if (headSize(pageCount_ + 1) + page_.size() + 4 + key.size() + entry_.size() > kPageSize) endPage();
  if (page_.empty()) {
    beginPage(key);
  } else if (pageCount_ % kRun == 0) {
    runs_.push_back(page_.size());
    lastKey_.clear();
  }
  size_t shared = 0;
  const size_t most = std::min(lastKey_.size(), key.size());
  while (shared < most && lastKey_[shared] == static_cast<uint8_t>(key[shared])) shared++;
  appendVarint(page_, shared);
  appendVarint(page_, key.size() - shared);
  page_.insert(page_.end(), key.begin() + static_cast<ptrdiff_t>(shared), key.end());
  page_.insert(page_.end(), entry_.begin(), entry_.end());
  lastKey_.assign(key.begin(), key.end());
  pageCount_++;
  termCount_++;
}

void DictionaryWriter::appendList(const Bytes &list, StreamWriter &stream) {
  const bool isInStream = list.size() > kMostInPage;
  appendVarint(entry_, list.size() << 1 | (isInStream ? 1 : 0));
  if (isInStream) {
    appendVarint(entry_, stream.address());
    stream.append(list);
  } else {
    entry_.insert(entry_.end(), list.begin(), list.end());
  }
}

void DictionaryWriter::beginPage(Key key) {
  lastKey_.clear();
  Bytes fence;
  appendVarint(fence, key.size());
  fence.insert(fence.end(), key.begin(), key.end());
  fences_.append(fence);
}

void DictionaryWriter::endPage() {
  Bytes head;
  const auto append = [&](size_t value) {
    head.push_back(static_cast<uint8_t>(value));
    head.push_back(static_cast<uint8_t>(value >> 8));
  };
  append(pageCount_);
  const size_t start = headSize(pageCount_);
  for (const size_t run : runs_) append(start + run);
  pages_.append(head);
  page_.resize(kPageSize - head.size(), 0);
  pages_.append(page_);
  page_.clear();
  runs_.clear();
  pageCount_ = 0;
}

void DictionaryWriter::finish() {
  if (!page_.empty()) endPage();
  pages_.finish();
  fences_.finish();
  postings_.finish();
  positions_.finish();
}

}  // namespace todana::text
