// All operations on a store that may be damaged.
#pragma once

#include <string>

#include "CStorageEngine.h"

namespace todana::fuzzing {

struct Use {
  bool isReadOnly = false;
  bool isStrict = false;
  bool commits = false;
  bool holdsSnapshot = false;
  bool checkpoints = false;
  bool reopens = false;
  bool putsLargeValues = false;
  bool readsInSmallSteps = false;
};

// Opens a store, reads everything in every way, changes some records, verifies, and closes. Every failure must be a
// valid tdn_error. Returns whether the store could be opened.
bool use(const std::string &path, const Use &use);

// Salvages a store, with a visitor that takes some records and refuses others.
void salvage(const std::string &path);

}  // namespace todana::fuzzing
