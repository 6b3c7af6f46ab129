// The documents of several terms together.
#pragma once

#include <algorithm>
#include <array>

#include "RankingInput.h"
#include "Segment.h"

namespace todana::text {

// Positions in ascending order, in the memory of a list or a buffer.
struct Positions {
  const uint32_t *begin = nullptr;
  const uint32_t *end = nullptr;

  size_t count() const { return static_cast<size_t>(end - begin); }
};

// Keeps those starts, in ascending order, that are `offset` before a position.
inline void keepStarts(std::vector<uint32_t> &starts, const Positions &positions, uint32_t offset) {
  size_t kept = 0;
  const uint32_t *next = positions.begin;
  for (const uint32_t start : starts) {
    const uint64_t wanted = uint64_t{start} + offset;
    while (next != positions.end && *next < wanted) next++;
    if (next == positions.end) break;
    if (*next == wanted) starts[kept++] = start;
  }
  starts.resize(kept);
}

class PostingsUnion {
 public:
  // The number of documents up to which looking for each of them is faster than reading a window of a list.
  static constexpr uint32_t kFew = 16;

  // Adds the term at the cursor.
  void add(Segment &segment, const DictionaryCursor &cursor);
  // Call it after the last addition.
  void finish();

  bool isEmpty() const { return readers_.empty() && few_.empty(); }
  // The number of documents at most.
  uint64_t documentCount() const { return documentCount_; }

  // Returns whether no document comes several times.
  bool hasDocumentsOnce() const { return readers_.size() + shortCount_ <= 1; }

  // Returns the first document that is `document` or a later one; kNoDocument if there is none.
  uint32_t next(uint32_t document) {
    if (readers_.size() == 1 && few_.empty()) return readers_[0].seek(document) ? readers_[0].document() : kNoDocument;
    return nextOfSeveral(document);
  }

  // Adds the documents of a window, without those that are not in `within` if it is not null.
  void addTo(DocumentSet &set, const Window &window, const DocumentSet *within) {
    forEach<false>(window, within, [&](uint32_t document, uint32_t) { set.add(document - window.first); });
  }

  // Calls back with each document of a window, and the number of places that it has, if this is wanted; several times
  // if several terms have it. Leaves out documents that are not in `within` if it is not null.
  template <bool withCounts, typename Body>
  void forEach(const Window &window, const DocumentSet *within, Body body);

  // Returns the highest saturation of a document of a window.
  double bound(const Window &window, const Segment &segment, const RankingInput &input, double weight);
  // As `bound` for the window of its last call, for documents with so many words.
  double boundOfLength(uint32_t length, const RankingInput &input, double weight) const {
    if (!areCountsKnown_) return RankingInput::kHighestSaturation;
    const uint32_t count = highestCounts_[std::min(length, kLengths - 1)];
    return count == 0 ? 0 : input.saturation(weight * count, length);
  }

  // The only list; null if there are several terms.
  PostingsReader *onlyList() { return readers_.size() == 1 && few_.empty() ? &readers_[0] : nullptr; }

  // Returns the positions in a document of the terms whose lists are kept. They are valid until the lists move, or
  // `buffer` changes.
  Positions positions(uint32_t document, std::vector<uint32_t> &buffer);

  // Keeps all lists, as positions need them. Otherwise short lists become plain numbers.
  void keepLists() { keepsLists_ = true; }

 private:
  // A document of a short list.
  struct Place {
    uint32_t document;
    uint32_t count;
  };

  uint32_t nextOfSeveral(uint32_t document);

  std::vector<Place>::const_iterator firstOfFew(uint32_t document) const {
    return std::lower_bound(
      few_.begin(), few_.end(), document, [](const Place &place, uint32_t value) { return place.document < value; });
  }

  // The number of lengths of documents that are distinguished.
  static constexpr uint32_t kLengths = 64;

  bool keepsLists_ = false;
  std::vector<PostingsReader> readers_;
  // The documents of short lists, in ascending order.
  std::vector<Place> few_;
  size_t shortCount_ = 0;
  uint64_t documentCount_ = 0;
  // The highest numbers of places of those documents of the window that `bound` was called for which have so many words
  // or fewer; the last one is that of all.
  bool areCountsKnown_ = false;
  std::array<uint32_t, kLengths> highestCounts_{};
};

template <bool withCounts, typename Body>
void PostingsUnion::forEach(const Window &window, const DocumentSet *within, Body body) {
  const auto give = [&](uint32_t document, uint32_t count) {
    if (within == nullptr || within->has(document - window.first)) body(document, count);
  };
  for (auto next = firstOfFew(window.first); next != few_.end() && next->document < window.end(); ++next) {
    give(next->document, next->count);
  }
  if (readers_.size() != 1 || within == nullptr || !within->hasAtMost(kFew)) {
    for (PostingsReader &reader : readers_) reader.forEach<withCounts>(window, give);
    return;
  }
  PostingsReader &reader = readers_[0];
  within->forEach([&](uint32_t offset) {
    const uint32_t document = window.first + offset;
    if (reader.seek(document) && reader.document() == document) {
      body(document, withCounts ? reader.placeCount() : 1);
    }
  });
}

}  // namespace todana::text
