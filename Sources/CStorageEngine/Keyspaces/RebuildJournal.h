// The keys that commits change while a new file is being built for the keyspace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace todana {

// The journal of one rebuild. Packs, and keys without names, are stored at most about twice, however often they change.
//
// Rebuilding owns it, and takes its content under a ReadLock or in a commit. The keyspace writers add to it inside
// `apply`.
struct RebuildJournal {
  std::vector<uint64_t> packs;     // for rows: numbers of the packs that the rows are in, or would be in
  std::vector<std::string> keys;   // for other keyspaces: the keys in the file
  std::vector<std::string> names;  // the callers' names of these keys, for keyspaces of byte keys only

  void addPack(uint64_t number) {
    if (!packs.empty() && packs.back() == number) return;
    packs.push_back(number);
    thin(packs, mostPacks_);
  }

  // Removes duplicates if there are many keys. Called after keys without names were added.
  void thinKeys() { thin(keys, mostKeys_); }

 private:
  static constexpr size_t kFewestToThin = 1 << 12;

  template <typename Item>
  static void thin(std::vector<Item> &items, size_t &most) {
    if (items.size() < most) return;
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    most = std::max(kFewestToThin, 2 * items.size());
  }

  size_t mostPacks_ = kFewestToThin;
  size_t mostKeys_ = kFewestToThin;
};

}  // namespace todana
