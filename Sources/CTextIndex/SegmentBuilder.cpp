#include "SegmentBuilder.h"

#include <stdexcept>
#include <type_traits>

namespace todana::text {

// A counting sort: the number of occurrences of each term gives the place where they begin.
template <bool hasPositions, typename AppendKey>
void Occurrences::writeSorted(
  const std::vector<uint32_t> &order, AppendKey appendKey, SegmentWriter &writer) const {
  // A place has a document and a position, or a document only.
  using Sorted = std::conditional_t<hasPositions, Place, uint32_t>;
  std::vector<size_t> ends(order.size() + 1);
  forEach([&](uint32_t term, uint32_t, uint32_t) { ends[term + size_t{1}]++; });
  for (size_t term = 1; term < ends.size(); term++) ends[term] += ends[term - 1];
  const std::unique_ptr<Sorted[]> places(new Sorted[count()]);
  // Each start moves to the end while its term is filled.
  forEach([&](uint32_t term, uint32_t document, uint32_t position) {
    if constexpr (hasPositions) {
      places[ends[term]++] = {document, position};
    } else {
      places[ends[term]++] = document;
    }
  });
  Postings postings;
  Bytes key;
  for (const uint32_t term : order) {
    postings.clear();
    const size_t start = term == 0 ? 0 : ends[term - 1], end = ends[term];
    for (size_t place = start; place < end; place++) {
      uint32_t document;
      if constexpr (hasPositions) {
        document = places[place].document;
        postings.positions.push_back(places[place].position);
      } else {
        document = places[place];
      }
      if (!postings.documents.empty() && document == postings.documents.back()) {
        postings.counts.back()++;
      } else {
        postings.documents.push_back(document);
        postings.counts.push_back(1);
      }
    }
    key.clear();
    appendKey(term, key);
    writer.add(Key(reinterpret_cast<const char *>(key.data()), key.size()), postings);
  }
}

template <typename AppendKey>
void Occurrences::write(
  const std::vector<uint32_t> &order, const ListShape &shape, AppendKey appendKey, SegmentWriter &writer) const {
  if (shape.hasPositions) {
    writeSorted<true>(order, appendKey, writer);
  } else {
    writeSorted<false>(order, appendKey, writer);
  }
}

void SegmentBuilder::beginRow(uint64_t row) {
  rows_.add(row);
  lengths_.push_back(0);
  lastColumn_ = -1;
  nextGram_ = 0;
}

// `bytes` returns the bytes of a word, by its index.
template <typename WordBytes>
void SegmentBuilder::addTerms(
  TermKind kind, const Text &text, WordBytes bytes, TermTable &terms, Occurrences &occurrences) {
  // The memory of a group of words is fetched at a time.
  constexpr size_t kStep = 16;
  TermTable::Lookup lookups[kStep];
  occurrences.begin(rows_.count() - 1, nextWord_);
  keys_.reserve(kStep * kLongestKey);
  for (size_t first = 0; first < text.wordCount; first += kStep) {
    const size_t count = std::min(kStep, text.wordCount - first);
    keys_.clear();
    for (size_t index = 0; index < count; index++) {
      const auto [word, size] = bytes(first + index);
      const size_t start = keys_.size();
      // The keys stay in place, as there is room for the longest ones.
      appendKey(kind, text.column, word, size, keys_);
      lookups[index] = terms.lookup(keys_.data() + start, keys_.size() - start);
    }
    for (size_t index = 0; index < count; index++) occurrences.append(terms.number(lookups[index]));
  }
}

void SegmentBuilder::add(const Text &text) {
  if (text.column != lastColumn_) nextWord_ = 0;
  lastColumn_ = text.column;
  if (UINT32_MAX - kTextGap - text.wordCount < nextWord_ || UINT32_MAX - text.wordCount < lengths_.back()) {
    throw std::length_error("a row has too many words");
  }
  const auto word = [&](size_t index) {
    const uint32_t start = text.words[2 * index], end = text.words[2 * index + 1];
    return std::make_pair(text.bytes + start, size_t{end - start});
  };
  addTerms(TermKind::word, text, word, wordTerms_, words_);
  if (text.stemEnds != nullptr) {
    const auto stem = [&](size_t index) {
      const size_t start = index == 0 ? 0 : text.stemEnds[index - 1];
      return std::make_pair(text.stems + start, text.stemEnds[index] - start);
    };
    addTerms(TermKind::stem, text, stem, stemTerms_, stems_);
  }
  lengths_.back() += static_cast<uint32_t>(text.wordCount);
  nextWord_ += static_cast<uint32_t>(text.wordCount) + kTextGap;
  if (options_.hasGrams) addGrams(text);
}

void SegmentBuilder::addGrams(const Text &text) {
  scalars_.assign(1, kTextMark);
  appendScalars(text.bytes, text.byteCount, scalars_);
  const size_t count = scalars_.size();
  scalars_.insert(scalars_.end(), 2, kTextMark);
  if (UINT32_MAX - count < nextGram_) throw std::length_error("the texts of a row are too long");
  grams_.begin(rows_.count() - 1, nextGram_);
  for (size_t index = 0; index < count; index++) {
    const uint32_t *const next = scalars_.data() + index;
    grams_.append(gramTerms_.number(next, gramLength(next[0], next[1])));
  }
  nextGram_ += static_cast<uint32_t>(count);
}

size_t SegmentBuilder::memory() const {
  // Writing takes as much again for the sorted occurrences, or twice that with positions.
  const size_t occurrences = words_.memory() + stems_.memory() + grams_.memory();
  return occurrences + wordTerms_.memory() + stemTerms_.memory() + gramTerms_.memory();
}

SegmentInfo SegmentBuilder::write(PageSink &sink) const {
  SegmentWriter writer(sink, rows_, lengths_, options_.keepsPositions, options_.hasGrams);
  const auto write = [&](const Occurrences &occurrences, const auto &terms, TermKind kind) {
    const ListShape form = shape(static_cast<uint8_t>(kind), options_.keepsPositions);
    occurrences.write(
      terms.sorted(), form, [&](uint32_t term, Bytes &key) { terms.appendKey(term, key); }, writer);
  };
  write(grams_, gramTerms_, TermKind::gram);
  write(words_, wordTerms_, TermKind::word);
  write(stems_, stemTerms_, TermKind::stem);
  return writer.finish();
}

}  // namespace todana::text
