// Regular expressions of RE2, which take time proportional to the text, whatever the expression.
//
// This is the plain C interface of the C++ of this target; no C++ exception crosses it.
#ifndef TODANA_CREGULAREXPRESSIONS_H
#define TODANA_CREGULAREXPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define TDR_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define TDR_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define TDR_NULLABLE _Nullable
#else
#define TDR_ASSUME_NONNULL_BEGIN
#define TDR_ASSUME_NONNULL_END
#define TDR_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

TDR_ASSUME_NONNULL_BEGIN

// A compiled expression. Any thread, several at the same time.
typedef struct tdr_expression tdr_expression;

// Compiles an expression in UTF-8, in which case does not count. Returns null if it is invalid or needs too much memory;
// `message` then has the reason, which ends with a zero.
tdr_expression *TDR_NULLABLE tdr_compile(
  const uint8_t *TDR_NULLABLE pattern, size_t count, char *message, size_t message_capacity);
void tdr_free(tdr_expression *expression);

// Finds the first match that begins at `from` or after it. `text` is in UTF-8.
bool tdr_find(
  const tdr_expression *expression, const uint8_t *TDR_NULLABLE text, size_t count, size_t from, size_t *start,
  size_t *end);

// Receives a literal of an alternative; the alternatives have the numbers 0, 1 and so on.
typedef void (*tdr_take_literal)(void *context, size_t alternative, const uint8_t *bytes, size_t count);

// Finds literals, in lower case, without which an expression has no match: a text in lower case has all literals of one
// alternative at least. Passes none if the expression is invalid, or if it may match without any. Returns false if there
// is no memory.
bool tdr_find_literals(
  const uint8_t *TDR_NULLABLE pattern, size_t count, tdr_take_literal take, void *context);

TDR_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
