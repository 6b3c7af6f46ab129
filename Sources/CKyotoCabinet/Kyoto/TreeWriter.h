// Changes a B+ tree with stock Kyoto Cabinet code: a PlantDB over nodes that it finds through our checked reader.
//
// PlantDB caches nodes and writes them when it likes, so everything it has is written at the end of each commit
// (`finish`), and after a rollback the object is let go without writing (`abandon`).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "HashFile.h"

namespace todana {

class TreeWriter {
 public:
  // Inside `apply`: an empty file becomes an empty tree; of an existing one all inner nodes are checked.
  explicit TreeWriter(std::shared_ptr<const HashFile> file);
  ~TreeWriter();
  TreeWriter(const TreeWriter &) = delete;
  TreeWriter &operator=(const TreeWriter &) = delete;

  const HashFile &file() const { return *file_; }

  // `old` is told the old value, null where there was none, before it is replaced or removed. Removing what is not there
  // does nothing, and tells nothing.
  using OldValue = std::function<void(const char *value, size_t length)>;
  void put(std::string_view key, std::string_view value, const OldValue &old);
  void remove(std::string_view key, const OldValue &old);

  // Where the keys of nodes that are written or removed are noted, or null: for a copy that is being made of them.
  void noteNodesIn(std::vector<std::string> *keys);

  // Writes what is cached. Readers find the whole tree in the file then.
  void finish();
  // The content was rolled back: forgets everything. The object must be let go.
  void abandon();
  // Writes the free-block pool, too. The object must be let go.
  void close();

 private:
  struct Stock;
  void change(std::string_view key, std::string_view value, bool isRemoval, const OldValue &old);
  template <class Body> bool guarded(Body body);
  void check(bool isDone);

  const std::shared_ptr<const HashFile> file_;
  std::unique_ptr<Stock> stock_;
  bool isBroken_ = false;  // an exception has passed through stock code
};

}  // namespace todana
