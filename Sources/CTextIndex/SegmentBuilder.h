// Collects the terms of rows in memory, and writes them as a segment.
#pragma once

#include <algorithm>
#include <memory>

#include "GramTable.h"
#include "SegmentWriter.h"
#include "TermTable.h"

namespace todana::text {

// Words or grams in the order of the rows.
class Occurrences {
 public:
  void begin(uint32_t document, uint32_t firstPosition) { parts_.push_back({document, firstPosition, count()}); }
  void append(uint32_t term) {
    if (used_ == kBlock) {
      blocks_.emplace_back(new uint32_t[kBlock]);
      used_ = 0;
    }
    blocks_.back()[used_++] = term;
  }
  size_t memory() const { return blocks_.size() * kBlock * sizeof(uint32_t) + parts_.capacity() * sizeof(Part); }

  // Sorts them by term, and adds the terms to a segment. `order` has the numbers of all terms in the order of their
  // keys, and `appendKey` appends the key of a number.
  template <typename AppendKey>
  void write(const std::vector<uint32_t> &order, const ListShape &shape, AppendKey appendKey, SegmentWriter &writer)
    const;

 private:
  // The terms of one text.
  struct Part {
    uint32_t document;
    uint32_t firstPosition;
    size_t start;
  };
  // An occurrence of a term.
  struct Place {
    uint32_t document;
    uint32_t position;
  };

  static constexpr size_t kBlock = 1 << 16;

  size_t count() const { return blocks_.empty() ? 0 : (blocks_.size() - 1) * kBlock + used_; }

  // Calls back with each occurrence: the term, the document and the position.
  template <typename Body>
  void forEach(Body body) const {
    for (size_t part = 0; part < parts_.size(); part++) {
      const size_t end = part + 1 < parts_.size() ? parts_[part + 1].start : count();
      const uint32_t document = parts_[part].document;
      uint32_t position = parts_[part].firstPosition;
      for (size_t index = parts_[part].start; index < end;) {
        const uint32_t *const block = blocks_[index / kBlock].get();
        const size_t stop = std::min(end, (index / kBlock + 1) * kBlock);
        for (; index < stop; index++) body(block[index % kBlock], document, position++);
      }
    }
  }

  template <bool hasPositions, typename AppendKey>
  void writeSorted(const std::vector<uint32_t> &order, AppendKey appendKey, SegmentWriter &writer) const;

  // Blocks, so that no memory is left free at their end, and none is copied.
  std::vector<std::unique_ptr<uint32_t[]>> blocks_;
  size_t used_ = kBlock;
  std::vector<Part> parts_;
};

class SegmentBuilder {
 public:
  struct Options {
    bool keepsPositions = false;
    bool hasGrams = true;
  };

  // A text that was folded and divided into words.
  struct Text {
    uint8_t column = 0;
    const uint8_t *bytes = nullptr;
    size_t byteCount = 0;
    const uint32_t *words = nullptr;  // the start and the end of each
    size_t wordCount = 0;
    // The stems of the words one after the other, and the end of each; null without a language.
    const uint8_t *stems = nullptr;
    const size_t *stemEnds = nullptr;
  };

  explicit SegmentBuilder(Options options) : options_(options) {}

  // Begins the next row, whose id is higher than all before.
  void beginRow(uint64_t row);
  // Adds a text of the row. The texts of a property come together.
  void add(const Text &text);

  uint32_t rowCount() const { return rows_.count(); }
  size_t memory() const;

  // Writes all rows, which the builder keeps.
  SegmentInfo write(PageSink &sink) const;

 private:
  template <typename WordBytes>
  void addTerms(TermKind kind, const Text &text, WordBytes bytes, TermTable &terms, Occurrences &occurrences);
  void addGrams(const Text &text);

  const Options options_;
  RowTable rows_;
  std::vector<uint32_t> lengths_;
  // The positions of the next text of the property.
  int lastColumn_ = -1;
  uint32_t nextWord_ = 0;
  uint32_t nextGram_ = 0;

  TermTable wordTerms_, stemTerms_;
  GramTable gramTerms_;
  Occurrences words_, stems_, grams_;
  Bytes keys_;
  std::vector<uint32_t> scalars_;
};

}  // namespace todana::text
