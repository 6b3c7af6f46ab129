// The sealing of a tree's nodes in an encrypted store. Each node is sealed for its tree and its key, so that no node
// can replace another.
#pragma once

#include <string>
#include <string_view>

#include "HashFile.h"

namespace todana {

// The sealing of one file's nodes. TreeReader, TreeWriter and KeyRebuildSource make one for each call.
//
// It has no state: any thread, under the lock under which the stored bytes are read.
class NodeSeal {
 public:
  explicit NodeSeal(const HashFile &file) : file_(file) {}

  // Returns a node as it was written. In a plain store the result is the file's own bytes, otherwise it is in `buffer`.
  // Throws Failure: TDN_DAMAGED, TDN_UNKNOWN_EPOCH.
  std::string_view opened(std::string_view key, std::string_view stored, std::string &buffer) const;
  // Returns the bytes to store: the node itself in a plain store, otherwise `buffer`.
  std::string_view sealed(std::string_view key, std::string_view node, std::string &buffer) const;

 private:
  SealedPlace place(std::string_view key) const { return {SealedKind::indexNode, file_.keyspace(), key}; }

  const HashFile &file_;
};

}  // namespace todana
