// The reader of Kyoto Cabinet's B+ trees, whose nodes are the records of a hash file (docs/formats/cabinet-files.md).
//
// Like HashFile, it checks bytes before using them. It reads the tree's description when it is constructed, so it is
// valid only until the next commit changes the tree.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "HashFile.h"

namespace todana {

// The reader of one tree. TreeScan, `estimateCount`, TreeFinder, TreeWriter and TreeKeyspaceWriter make one; Session
// and Commit make one to count records.
//
// One thread constructs and uses it, under one ReadLock, inside `apply`, or on its building file.
class TreeReader {
 public:
  struct Record {
    std::string_view key;
    std::string_view value;
  };
  struct Leaf {
    int64_t previous = 0;
    int64_t next = 0;
    std::vector<Record> records;
    std::string opened;  // the bytes of `records` in an encrypted store
  };
  // A position in a leaf. Each record is checked when the cursor reaches it.
  class LeafCursor {
   public:
    LeafCursor() = default;
    LeafCursor(const LeafCursor &) = delete;
    LeafCursor &operator=(const LeafCursor &) = delete;

    int64_t previous() const { return previous_; }
    int64_t next() const { return next_; }
    bool isLast() const { return position_ == end_; }
    // Returns the place where the record begins, or the end of the leaf.
    const char *start() const { return start_; }
    const char *end() const { return end_; }
    // Returns the record; null after the last one.
    const Record *record() const { return hasRecord_ ? &record_ : nullptr; }
    // Moves to the next record. Throws Failure(TDN_DAMAGED) if its key is out of order or a length is wrong.
    void advance();

   private:
    friend class TreeReader;

    void begin(const HashFile &file, std::string_view bytes, int64_t leafCount);

    const HashFile *file_ = nullptr;
    const char *start_ = nullptr;
    const char *position_ = nullptr;
    const char *end_ = nullptr;
    int64_t previous_ = 0;
    int64_t next_ = 0;
    bool hasRecord_ = false;
    Record record_;
    std::string opened_;  // the bytes of the records in an encrypted store, or a copy of them
  };

  // The maximum number of buckets of a tree's file. Stock code caches as many nodes in memory.
  static constexpr uint64_t kMostBuckets = 1 << 20;

  // Returns the parameters of a file for a tree that will take `recordCount` records at once.
  static HashFile::Shape shape(std::shared_ptr<SealerPool> sealers, uint64_t recordCount);

  explicit TreeReader(const HashFile &file);

  uint64_t count() const { return count_; }
  int64_t firstLeaf() const { return first_; }
  int64_t lastLeaf() const { return last_; }
  int64_t leafCount() const { return leafCount_; }

  // Returns the leaf whose range contains the key. Sets `end`, unless it is null, to the end of the range.
  int64_t leafFor(std::string_view key, std::optional<std::string> *end = nullptr) const;
  // The path from the root to a leaf.
  struct Way {
    struct Step {
      int64_t node;
      uint32_t index;  // of the child on the path
      uint32_t count;  // of children
    };
    std::vector<Step> steps;
    int64_t leaf;
  };
  // Returns the paths to the leaves whose ranges contain two keys in ascending order; for null, to the last leaf.
  std::array<Way, 2> waysTo(const std::string *lower, const std::string *upper) const;
  // Reads a leaf. Throws Failure(TDN_DAMAGED) if the keys are not in order or a length is wrong.
  void readLeaf(int64_t id, Leaf &leaf) const;
  // Begins to read a leaf record by record, starting with the first one. Throws Failure(TDN_DAMAGED).
  void readLeaf(int64_t id, LeafCursor &leaf) const;
  // Begins to read a copy of a leaf, which later writes to the file do not change. Throws Failure(TDN_DAMAGED).
  void copyLeaf(int64_t id, LeafCursor &leaf) const;

  // Tests whether one key precedes another one.
  static bool isLess(std::string_view left, std::string_view right) {
    // Most keys differ within their first word.
    const uint64_t first = firstWord(left), second = firstWord(right);
    if (first != second) return first < second;
    if (left.size() <= 8 || right.size() <= 8) return left.size() < right.size();
    if (left.size() == right.size() && left.size() <= 16) return lastWord(left) < lastWord(right);
    if (left.size() >= 16 && right.size() >= 16) {
      const uint64_t third = readBigEndian64(left.data() + 8), fourth = readBigEndian64(right.data() + 8);
      if (third != fourth) return third < fourth;
      if (left.size() == right.size() && left.size() <= 24) return lastWord(left) < lastWord(right);
    }
    return left < right;
  }

  // Tests whether two keys are equal. Short ones are compared in words, without a call.
  static bool isEqual(std::string_view left, std::string_view right) {
    const size_t size = left.size();
    if (size != right.size()) return false;
    if (size < 8 || size > 24) return left == right;
    const size_t middle = size >= 16 ? 8 : 0;
    return readBigEndian64(left.data()) == readBigEndian64(right.data()) &&
           readBigEndian64(left.data() + middle) == readBigEndian64(right.data() + middle) &&
           lastWord(left) == lastWord(right);
  }

 private:
  friend class TreeWriter;  // updates the description of the tree

  // Returns the last eight bytes of a key that has as many.
  static uint64_t lastWord(std::string_view key) { return readBigEndian64(key.data() + key.size() - 8); }
  // Returns the first eight bytes, padded with zeros, as a number of the same order.
  static uint64_t firstWord(std::string_view key) {
    if (key.size() >= 8) return readBigEndian64(key.data());
    if (key.size() >= 4) {
      // The last four bytes may overlap the first four.
      uint32_t first, last;
      std::memcpy(&first, key.data(), 4);
      std::memcpy(&last, key.data() + key.size() - 4, 4);
      return static_cast<uint64_t>(__builtin_bswap32(first)) << 32 |
             static_cast<uint64_t>(__builtin_bswap32(last)) << (64 - 8 * key.size());
    }
    uint64_t word = 0;
    for (size_t index = 0; index < key.size(); index++) {
      word |= static_cast<uint64_t>(static_cast<uint8_t>(key[index])) << (56 - 8 * index);
    }
    return word;
  }

  struct NodeKey {
    char bytes[24];
    size_t length;
    std::string_view view() const { return {bytes, length}; }
  };
  static NodeKey keyOf(int64_t id);

  // A tag for the reader of a tree that is being created.
  struct NoDescription {};
  TreeReader(const HashFile &file, NoDescription) : file_(file) {}

  class InnerCursor;

  static bool isInner(int64_t id) { return id > kInnerBase; }
  std::string_view readNode(int64_t id, std::string &opened) const;
  void parseLeaf(std::string_view bytes, Leaf &leaf) const;
  // Returns the tree's description to store in the file. `pageSize`: the size at which stock code would divide a node.
  std::string description(size_t pageSize) const;
  void visitChildren(int64_t inner, const std::function<void(std::string_view key, int64_t child)> &visit) const;
  // Returns the child of an inner node whose range contains the key. Sets `end` to the end of that range, but leaves it
  // unchanged for the last child.
  int64_t childFor(int64_t inner, std::string_view key, std::optional<std::string> *end) const;
  void descend(Way *ways, const std::string *const *keys, size_t count) const;
  [[noreturn]] void damaged(const char *what) const { file_.damaged(what, 0); }

  static constexpr std::string_view kDescriptionKey = "@";
  static constexpr int64_t kInnerBase = 1LL << 48;
  static constexpr int64_t kMaximumNodeCount = 1LL << 28;
  static constexpr int kMaximumLevel = 15;

  const HashFile &file_;
  int64_t root_ = 0;
  int64_t first_ = 0;
  int64_t last_ = 0;
  int64_t leafCount_ = 0;
  int64_t innerCount_ = 0;
  uint64_t count_ = 0;
};

// The search for keys in ascending order, which reads each leaf once. Session and TreeKeyspaceWriter make one.
//
// One thread, under one ReadLock or inside `apply`.
class TreeFinder {
 public:
  explicit TreeFinder(const HashFile &file) : tree_(file) {}
  // Finds a key. The value is in the file, or in this object until the next call.
  bool find(std::string_view key, std::string_view &value);

 private:
  const TreeReader tree_;
  TreeReader::LeafCursor leaf_;
  bool hasLeaf_ = false;
  std::optional<std::string> end_;  // the end of the leaf's range of keys; nothing for the last leaf
};

}  // namespace todana
