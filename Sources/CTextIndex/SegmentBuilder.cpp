#include "SegmentBuilder.h"

#include <stdexcept>

namespace todana::text {

// A counting sort: the number of occurrences of each term gives the place where they begin.
template <typename AppendKey>
void Occurrences::write(
  const std::vector<uint32_t> &order, const ListShape &shape, AppendKey appendKey, SegmentWriter &writer) const {
  std::vector<size_t> ends(order.size() + 1);
  for (const uint32_t term : terms_) ends[term + size_t{1}]++;
  for (size_t term = 1; term < ends.size(); term++) ends[term] += ends[term - 1];
  std::vector<uint32_t> documents(terms_.size());
  std::vector<uint32_t> positions(shape.hasPositions ? terms_.size() : 0);
  // Each start moves to the end while its term is filled.
  forEach([&](uint32_t term, uint32_t document, uint32_t position) {
    size_t &end = ends[term];
    documents[end] = document;
    if (shape.hasPositions) positions[end] = position;
    end++;
  });
  Postings postings;
  Bytes key;
  for (const uint32_t term : order) {
    postings.clear();
    const size_t start = term == 0 ? 0 : ends[term - 1], end = ends[term];
    for (size_t place = start; place < end; place++) {
      if (place > start && documents[place] == documents[place - 1]) {
        postings.counts.back()++;
      } else {
        postings.documents.push_back(documents[place]);
        postings.counts.push_back(1);
      }
    }
    if (shape.hasPositions) {
      postings.positions.assign(
        positions.begin() + static_cast<ptrdiff_t>(start), positions.begin() + static_cast<ptrdiff_t>(end));
    }
    key.clear();
    appendKey(term, key);
    writer.add(Key(reinterpret_cast<const char *>(key.data()), key.size()), postings);
  }
}

void SegmentBuilder::beginRow(uint64_t row) {
  rows_.add(row);
  lengths_.push_back(0);
  lastColumn_ = -1;
  nextGram_ = 0;
}

void SegmentBuilder::add(const Text &text) {
  if (text.column != lastColumn_) nextWord_ = 0;
  lastColumn_ = text.column;
  if (UINT32_MAX - kTextGap - text.wordCount < nextWord_ || UINT32_MAX - text.wordCount < lengths_.back()) {
    throw std::length_error("a row has too many words");
  }
  const uint32_t document = rows_.count() - 1;
  words_.begin(document, nextWord_);
  for (size_t word = 0; word < text.wordCount; word++) {
    const uint32_t start = text.words[2 * word], end = text.words[2 * word + 1];
    key_.clear();
    appendKey(TermKind::word, text.column, text.bytes + start, end - start, key_);
    words_.append(wordTerms_.number(key_.data(), key_.size()));
  }
  if (text.stemEnds != nullptr) {
    stems_.begin(document, nextWord_);
    for (size_t word = 0; word < text.wordCount; word++) {
      const size_t start = word == 0 ? 0 : text.stemEnds[word - 1], end = text.stemEnds[word];
      key_.clear();
      appendKey(TermKind::stem, text.column, text.stems + start, end - start, key_);
      stems_.append(stemTerms_.number(key_.data(), key_.size()));
    }
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
