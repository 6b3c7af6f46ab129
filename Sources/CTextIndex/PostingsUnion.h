// The documents of several terms together.
#pragma once

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
  void addTo(DocumentSet &set, uint32_t first);

  // Appends the positions in a document of the terms whose lists are kept.
  void appendPositions(uint32_t document, std::vector<uint32_t> &positions);

  // Keeps all lists, as positions need them. Otherwise short lists become plain numbers.
  void keepLists() { keepsLists_ = true; }

 private:
  bool keepsLists_ = false;
  std::vector<PostingsReader> readers_;
  // The documents of short lists, in ascending order.
  std::vector<uint32_t> few_;
  uint64_t documentCount_ = 0;
};

}  // namespace todana::text
