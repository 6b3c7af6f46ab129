// The documents of several terms together.
#pragma once

#include <algorithm>

#include "DocumentSet.h"
#include "Segment.h"

namespace todana::text {

class PostingsUnion {
 public:
  // Adds the term at the cursor.
  void add(Segment &segment, const DictionaryCursor &cursor);
  // Call it after the last addition.
  void finish();

  bool isEmpty() const { return readers_.empty() && few_.empty(); }
  // The number of documents at most.
  uint64_t documentCount() const { return documentCount_; }

  // Adds the documents of the window from `first`.
  void addTo(DocumentSet &set, uint32_t first) {
    forEach(first, [&](uint32_t document, uint32_t) { set.add(document - first); });
  }

  // Calls back with each document of the window from `first`, and the number of places that it has; several times if
  // several terms have it.
  template <typename Body>
  void forEach(uint32_t first, Body body);

  // The only list; null if there are several terms.
  PostingsReader *onlyList() { return readers_.size() == 1 && few_.empty() ? &readers_[0] : nullptr; }

  // Appends the positions in a document of the terms whose lists are kept.
  void appendPositions(uint32_t document, std::vector<uint32_t> &positions);

  // Keeps all lists, as positions need them. Otherwise short lists become plain numbers.
  void keepLists() { keepsLists_ = true; }

 private:
  bool keepsLists_ = false;
  std::vector<PostingsReader> readers_;
  // The documents of short lists with the numbers of their places, in ascending order.
  struct Place {
    uint32_t document;
    uint32_t count;
  };
  std::vector<Place> few_;
  uint64_t documentCount_ = 0;
};

template <typename Body>
void PostingsUnion::forEach(uint32_t first, Body body) {
  const uint64_t end = uint64_t{first} + DocumentSet::kWindow;
  const auto start = std::lower_bound(
    few_.begin(), few_.end(), first, [](const Place &place, uint32_t document) { return place.document < document; });
  for (auto next = start; next != few_.end() && next->document < end; ++next) body(next->document, next->count);
  for (PostingsReader &reader : readers_) {
    for (size_t group = reader.group(first); group < reader.groupCount(); group++) {
      reader.load(group);
      const uint32_t *const documents = reader.documents();
      const uint32_t *const counts = reader.counts();
      const size_t count = reader.count();
      if (documents[0] >= end) break;
      // Only the first group and the last one of a window have documents of others.
      if (documents[0] >= first && documents[count - 1] < end) {
        for (size_t index = 0; index < count; index++) body(documents[index], counts[index]);
        continue;
      }
      for (size_t index = 0; index < count; index++) {
        if (documents[index] >= first && documents[index] < end) body(documents[index], counts[index]);
      }
    }
  }
}

}  // namespace todana::text
