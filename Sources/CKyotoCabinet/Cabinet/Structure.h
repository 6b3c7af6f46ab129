// One structure of an open cabinet, as it is in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "../Kyoto/HashWriter.h"
#include "../Kyoto/TreeWriter.h"
#include "../include/CKyotoCabinet.h"

namespace todana {

// Keys that commits changed while a larger file for the structure is being built.
struct GrowthJournal {
  std::vector<std::string> keys;
};

struct Structure {
  Structure(uint32_t id, int32_t kind, std::string name) : id(id), kind(kind), name(std::move(name)) {}

  const uint32_t id;
  const int32_t kind;  // a `tdn_structure_kind`
  const std::string name;

  bool hasRows() const { return kind == TDN_STRUCTURE_ROWS; }
  bool isTree() const { return kind == TDN_STRUCTURE_TREE; }

  // The data file that the structure lives in; 0: none yet. Changed by commits only (readers are excluded), and with
  // FileTable's mutex held: a reader that got hold of a file asks under its read lock whether it is still this one.
  std::atomic<uint32_t> fileNumber{0};
  // The next row id to hand out; 0: not read from the file yet.
  std::atomic<uint64_t> nextRow{0};

  // -- FileTable's, guarded by its mutex
  std::shared_ptr<const HashFile> file;  // null where it is not open
  std::list<Structure *>::iterator use;

  // -- Used by commits only
  FreeBlockPool pool;
  std::unique_ptr<TreeWriter> treeWriter;
  // Set while a larger file is being built; set and taken away under a read lock or in a commit.
  GrowthJournal *journal = nullptr;
};

}  // namespace todana
