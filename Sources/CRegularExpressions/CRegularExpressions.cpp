#include <cstdio>
#include <exception>
#include <memory>

#include "Options.h"

struct tdr_expression {
  explicit tdr_expression(const re2::StringPiece &pattern) : regex(pattern, options()) {}

  const re2::RE2 regex;
};

tdr_expression *tdr_compile(const uint8_t *pattern, size_t count, char *message, size_t messageCapacity) {
  try {
    auto expression = std::make_unique<tdr_expression>(piece(pattern, count));
    if (expression->regex.ok()) return expression.release();
    std::snprintf(message, messageCapacity, "%s", expression->regex.error().c_str());
  } catch (const std::exception &failure) {
    std::snprintf(message, messageCapacity, "%s", failure.what());
  }
  return nullptr;
}

void tdr_free(tdr_expression *expression) { delete expression; }

bool tdr_find(
  const tdr_expression *expression, const uint8_t *text, size_t count, size_t from, size_t *start, size_t *end) {
  re2::StringPiece found;
  const re2::StringPiece whole = piece(text, count);
  if (!expression->regex.Match(whole, from, count, re2::RE2::UNANCHORED, &found, 1)) return false;
  *start = static_cast<size_t>(found.data() - whole.data());
  *end = *start + found.size();
  return true;
}
