// A walk through all terms of a segment, in the order of their keys.
#pragma once

#include <string>

#include "Segment.h"

namespace todana::text {

class TermWalk {
 public:
  explicit TermWalk(Segment &segment) : segment_(segment), cursor_(segment.cursor()) {}

  // Moves to the first term. Returns false if there is none.
  bool begin() { return cursor_.seek(Key()); }

  // Moves to the next term. Returns false at the end. The order is checked, also between pages; throws Damaged.
  bool next() {
    last_.assign(cursor_.key());
    if (!cursor_.next()) return false;
    if (!(Key(last_) < cursor_.key())) throw Damaged();
    return true;
  }

  Key key() const { return cursor_.key(); }
  PostingsReader postings() const { return segment_.postings(cursor_); }
  bool hasPositions() const {
    return shape(static_cast<uint8_t>(key()[0]), segment_.info().keepsPositions).hasPositions;
  }

 private:
  Segment &segment_;
  DictionaryCursor cursor_;
  std::string last_;
};

}  // namespace todana::text
