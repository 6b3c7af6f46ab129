// A text expression as a search of segments needs it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "Coding.h"

namespace todana::text {

// A word of a phrase.
struct WordPattern {
  enum class Kind : uint8_t {
    whole,
    beginning,
    end,
    fuzzy,  // a word that differs by few changes, as a test of the caller tells
    cut,    // a word that begins like this, and of which dictionaries have only the first bytes
  };

  Kind kind = Kind::whole;
  Bytes bytes;
  // The stem that words of a text may have instead; empty without a language.
  Bytes stem;
  // The most changes of a fuzzy word.
  uint32_t edits = 0;
  // Tests a word of a text, in UTF-8.
  std::function<bool(const uint8_t *bytes, size_t count)> test;
};

struct Query {
  enum class Kind : uint8_t {
    words,      // words that follow each other
    near,       // phrases close to each other
    part,       // a part of the folded text; marks stand for its ends
    anything,   // a term that only a text can be tested for, such as a regular expression
    all,
    any,
    negation,
  };

  Kind kind = Kind::all;
  // The number of the term, in the order in which terms were added; unused for combinations.
  size_t term = 0;
  // The words of a phrase; of `near`, those of all phrases.
  std::vector<WordPattern> words;
  // The number of words of each phrase of `near`.
  std::vector<size_t> phraseSizes;
  uint32_t distance = 0;
  // The scalars of a part.
  std::vector<uint32_t> scalars;
  std::vector<std::unique_ptr<Query>> children;
};

}  // namespace todana::text
