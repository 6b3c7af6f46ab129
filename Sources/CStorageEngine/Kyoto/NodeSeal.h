// The nodes of a tree in an encrypted store: each is sealed for its tree and its own key, so that none can be put in
// another's place.
#pragma once

#include <string>
#include <string_view>

#include "HashFile.h"

namespace todana {

class NodeSeal {
 public:
  explicit NodeSeal(const HashFile &file) : file_(file) {}

  // A node as it was written: the file's own bytes in a plain store, else in `buffer`. Throws Failure: TDN_DAMAGED,
  // TDN_UNKNOWN_EPOCH.
  std::string_view opened(std::string_view key, std::string_view stored, std::string &buffer) const;
  // What is to stand in the file: the node itself in a plain store, else in `buffer`.
  std::string_view sealed(std::string_view key, std::string_view node, std::string &buffer) const;

 private:
  SealedPlace place(std::string_view key) const { return {SealedKind::indexNode, file_.keyspace(), key}; }

  const HashFile &file_;
};

}  // namespace todana
