// Finds terms in the dictionary of a segment (DictionaryWriter.h).
#pragma once

#include "DictionaryWriter.h"
#include "PostingsReader.h"
#include "Terms.h"

namespace todana::text {

// The first keys of all pages, in memory.
class Fences {
 public:
  // Reads them from their part. `pageCount` is the number of pages of the dictionary.
  void read(StreamReader &stream, uint64_t pageCount);

  size_t pageCount() const { return starts_.empty() ? 0 : starts_.size() - 1; }
  Key operator[](size_t page) const {
    return Key(reinterpret_cast<const char *>(bytes_.data()) + starts_[page], starts_[page + 1] - starts_[page]);
  }
  // Returns the page that has a key, if one has it; the first page for a key before all others.
  size_t page(Key key) const;
  size_t memory() const { return bytes_.capacity() + starts_.capacity() * sizeof(uint32_t); }

 private:
  Bytes bytes_;
  std::vector<uint32_t> starts_;
};

// A place in the dictionary, which moves forwards.
class DictionaryCursor {
 public:
  DictionaryCursor(const Fences &fences, StreamReader &pages, bool keepsPositions)
      : fences_(fences), pages_(pages), keepsPositions_(keepsPositions) {}

  // Moves to the first term with this key or a later one. Returns false if there is none.
  bool seek(Key key);
  bool next();

  Key key() const { return Key(key_, keySize_); }
  // The entry of the term, without the bytes of its lists.
  uint32_t documentCount() const { return documentCount_; }
  TermEntry entry() const;

 private:
  struct RawList {
    uint64_t size = 0;
    bool isInStream = false;
    uint64_t address = 0;
    const uint8_t *bytes = nullptr;
  };

  void openPage(size_t page);
  // Moves before the last run of the page whose first key is not higher than a key; before the first one if there is none.
  void openRun(Key key);
  size_t offsetOfRun(size_t run) const;
  void readTerm();
  static RawList readList(Input &input);
  static ListBytes copy(const RawList &list);

  const Fences &fences_;
  StreamReader &pages_;
  const bool keepsPositions_;
  // The next page, and the next term of this one.
  size_t page_ = 0;
  size_t term_ = 0;
  size_t termCount_ = 0;
  SharedPage bytes_;
  // The position of the next term in the page.
  size_t offset_ = 0;
  char key_[kLongestKey];
  size_t keySize_ = 0;
  // The number of bytes that the key has in common with the one before in the page.
  size_t shared_ = 0;
  uint32_t documentCount_ = 0;
  RawList documents_;
  RawList positions_;
};

}  // namespace todana::text
