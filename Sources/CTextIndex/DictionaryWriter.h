// Writes the terms of a segment with their lists.
//
// A page of the dictionary has two bytes with the number of its terms, little-endian, and two with the offset in the page
// of each 16th further term. Terms between these make a run, whose first key is complete. For each term, the page has
//
//   varints of the number of bytes that its key shares with the one before, and of the number of its further bytes
//   these bytes
//   a varint of the number of documents
//   the list of documents, and that of positions if there are positions:
//     a varint of twice its size, plus 1 if it is in a stream
//     its bytes, or a varint of its address in the stream
//
// The part `fences` has the length and the bytes of the first key of each page. The pages are filled with zeros.
#pragma once

#include "Pages.h"
#include "Terms.h"

namespace todana::text {

// The number of terms of a run.
constexpr size_t kRun = 16;

// Returns the number of runs of so many terms.
inline size_t runCount(size_t termCount) { return (termCount + kRun - 1) / kRun; }
// Returns the number of bytes before the first term of a page.
inline size_t headSize(size_t termCount) { return 2 * std::max<size_t>(1, runCount(termCount)); }

class DictionaryWriter {
 public:
  DictionaryWriter(PageWriter &pages, bool keepsPositions)
      : pages_(pages, Part::dictionary), fences_(pages, Part::fences), postings_(pages, Part::postings),
        positions_(pages, Part::positions), keepsPositions_(keepsPositions) {}

  // Adds a term. Keys come in ascending order, each once.
  void add(Key key, const Postings &postings, const std::vector<uint32_t> &lengths);

  void finish();

  uint64_t termCount() const { return termCount_; }
  uint64_t dictionarySize() const { return pages_.address(); }
  uint64_t fencesSize() const { return fences_.address(); }
  uint64_t postingsSize() const { return postings_.address(); }
  uint64_t positionsSize() const { return positions_.address(); }

 private:
  void appendList(const Bytes &list, StreamWriter &stream);
  void beginPage(Key key);
  void endPage();

  StreamWriter pages_;
  StreamWriter fences_;
  StreamWriter postings_;
  StreamWriter positions_;
  const bool keepsPositions_;
  uint64_t termCount_ = 0;
  // The terms of the page, their number, and the places of runs but the first among them.
  Bytes page_;
  size_t pageCount_ = 0;
  std::vector<size_t> runs_;
  Bytes entry_;
  Bytes lastKey_;
  EncodedList list_;
};

}  // namespace todana::text
