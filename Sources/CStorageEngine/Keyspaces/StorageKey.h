// The stored key of a named record: in an encrypted store it hides the name.
#pragma once

#include <string_view>

#include "Keyspace.h"

namespace todana {

// One key for one search. Session, NameKeyspaceWriter, KeyspaceLoader and ChangeKey make it. One thread; the key
// generation is read under the lock of the search.
class StorageKey {
 public:
  // `keyGeneration`: the key generation of the searched contents. `name` must outlive this object.
  StorageKey(const KeyRing *ring, uint32_t keyGeneration, const Keyspace &keyspace, std::string_view name)
      : view_(name) {
    if (keyGeneration == 0 || !ring || !keyspace.hasNames()) return;
    bytes_ = ring->nameKey(keyGeneration, {name.data(), name.size()});
    view_ = {reinterpret_cast<const char *>(bytes_.data()), bytes_.size()};
  }
  StorageKey(const StorageKey &) = delete;
  StorageKey &operator=(const StorageKey &) = delete;

  std::string_view view() const { return view_; }
  const char *data() const { return view_.data(); }
  size_t length() const { return view_.size(); }

 private:
  KeyRing::NameKey bytes_;
  std::string_view view_;
};

}  // namespace todana
