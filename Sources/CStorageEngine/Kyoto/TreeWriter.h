// The writer of a B+ tree, key by key in ascending order. Each changed leaf is read once and written once.
//
// The format is Kyoto Cabinet's, but stock code is not used for trees. Stock code keeps a list of all records of each
// touched leaf, with an allocation for each record, and divides leaves in halves even if they are filled in order.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "HashWriter.h"
#include "TreeReader.h"

namespace todana {

// The changes of one batch. TreeKeyspaceWriter makes one inside `apply`; KeyspaceLoader makes one for its building
// file. One thread, that of its HashWriter.
class TreeWriter {
 public:
  // Begins changes inside `apply`, between `begin` and `end` of the hash writer. An empty file becomes an empty tree.
  // `changedNodes`: receives the keys of written and removed nodes for a rebuild that copies them, or null.
  TreeWriter(const HashFile &file, HashWriter &writer, std::vector<std::string> *changedNodes);
  TreeWriter(const TreeWriter &) = delete;
  TreeWriter &operator=(const TreeWriter &) = delete;

  // Called with the old value, or null if there was none, before it is replaced or removed. Removing an absent key does
  // nothing, and does not call it.
  using OldValue = std::function<void(const char *value, size_t length)>;
  void put(std::string_view key, std::string_view value, const OldValue &old);
  void remove(std::string_view key, const OldValue &old);

  // Removes all keys from `lower` on and before `upper`; an empty bound leaves its side open. Calls `old` with each
  // record before its removal. Keys of later changes may come before these.
  using OldRecord = std::function<void(std::string_view key, std::string_view value)>;
  void removeRange(std::string_view lower, std::string_view upper, const OldRecord &old);

  // Joins up to `leafCount` leaves with those before them, from the leaf of `key` on, where two fit into one. For
  // compaction, without other changes. Returns the key at which to go on; nothing at the end.
  std::optional<std::string> join(std::string_view key, int leafCount);

  // Writes the remaining leaf and inner nodes, and the tree's description. Called last.
  void finish();

 private:
  // An inner node whose children change.
  struct Inner {
    struct Link {
      std::string key;
      int64_t child;
    };
    int64_t heir = 0;
    std::vector<Link> links;
    size_t byteCount = 0;
    bool isDead = false;

    std::vector<Link>::const_iterator firstAbove(std::string_view key) const {
      return std::upper_bound(links.begin(), links.end(), key, [](std::string_view key, const Link &link) {
        return TreeReader::isLess(key, link.key);
      });
    }
  };

  // The place of removed leaves: the leaves before and after them, or 0. They are linked when no more leaves are removed
  // there, as each link rewrites a leaf.
  struct Gap {
    int64_t previous, next;
  };

  // -- The leaf that is being changed
  void goTo(std::string_view key);
  void passOne(const char *start);
  void open(std::string_view key);
  void close();
  void divide(size_t size);
  void putLeaf(std::string_view records, int64_t next);
  void unlink();
  void closeGap();
  bool joinPrevious();
  int64_t heirOf(int64_t id) const;
  void chain(int64_t previous, int64_t next);
  void replaceChain(int64_t id, const TreeReader::LeafCursor &leaf, int64_t previous, int64_t next);

  // -- Inner nodes
  std::vector<int64_t> wayTo(std::string_view key) const;
  int64_t childFor(int64_t id, std::string_view key, std::optional<std::string> *end) const;
  Inner &inner(int64_t id);
  void addLink(std::string key, int64_t child);
  void dropChild(std::vector<int64_t> way, int64_t child);

  // -- Nodes
  int64_t newNumber(int64_t &count);
  void putNode(int64_t id, std::string_view bytes);
  void putRecord(std::string_view key, std::string_view bytes);
  void removeNode(int64_t id);

  const HashFile &file_;
  HashWriter &writer_;
  std::vector<std::string> *const changedNodes_;
  TreeReader tree_;
  std::unordered_map<int64_t, Inner> inners_;

  bool isOpen_ = false;
  int64_t leaf_ = 0;                // the leaf that the next records are written to
  int64_t previous_ = 0;            // the leaf before it
  int64_t next_ = 0;                // the leaf after it, and after the parts that it is divided into
  std::string key_;                 // the key by which the leaf was found
  std::optional<Gap> gap_;          // removed leaves, of which the leaf may be the next
  std::optional<std::string> end_;  // the end of the leaf's range of keys
  TreeReader::LeafCursor old_;      // the rest of the leaf's old records
  std::string records_;             // records not written yet
  std::vector<size_t> starts_;      // their offsets in `records_`
  bool isChanged_ = false;
  bool hasRemoved_ = false;
  bool hasDivided_ = false;
  bool isAppending_ = false;        // the last put record went after all others

  std::string node_, sealed_;
};

}  // namespace todana
