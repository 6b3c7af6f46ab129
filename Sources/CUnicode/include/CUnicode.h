// Folding and words of texts, by tables of one version of Unicode.
//
// This is the plain C interface of the C++ of this target; no C++ exception crosses it.
#ifndef TODANA_CUNICODE_H
#define TODANA_CUNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define TDU_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define TDU_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define TDU_NULLABLE _Nullable
#else
#define TDU_ASSUME_NONNULL_BEGIN
#define TDU_ASSUME_NONNULL_END
#define TDU_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

TDU_ASSUME_NONNULL_BEGIN

// Returns the version of Unicode of the tables, such as 150 for 15.0.
uint32_t tdu_unicode_version(void);

typedef enum {
  TDU_FOLD_CASE_AND_ACCENTS = 0,
  TDU_FOLD_CASE = 1,
} tdu_folding;

// Folds a text in UTF-8; `folding` is a `tdu_folding`. Returns the number of folded bytes. If they are more than
// `capacity`, nothing is written. Returns SIZE_MAX if there is no memory.
size_t tdu_fold(
  const uint8_t *TDU_NULLABLE source, size_t count, int32_t folding, uint8_t *TDU_NULLABLE output, size_t capacity);

// Returns the first place of a part, which is not empty, in a text, in linear time; SIZE_MAX if there is none.
size_t tdu_find(const uint8_t *text, size_t count, const uint8_t *part, size_t part_count);

// A folded text, whose memory is used again for the next one.
typedef struct tdu_text tdu_text;

// Returns the text of the calling thread, or null if there is no memory.
tdu_text *TDU_NULLABLE tdu_text_of_thread(void);

// The longest text, in bytes. A scalar becomes at most 11 times as long by folding, and positions have 32 bits.
#define TDU_LONGEST_TEXT 357913941

// Folds a text in UTF-8, without case and accents. Each run of white space becomes one space; with `trims`, there is
// none at both ends. Only with `maps_source`, positions in the source can be found afterwards. Returns false if there is
// no memory, or if the text is too long.
bool tdu_text_fold(
  tdu_text *text, const uint8_t *TDU_NULLABLE source, size_t count, bool trims, bool maps_source);

// Return the folded bytes, in UTF-8, which are valid until the next call of `tdu_text_fold`.
const uint8_t *TDU_NULLABLE tdu_text_bytes(const tdu_text *text);
size_t tdu_text_count(const tdu_text *text);

typedef struct {
  uint32_t start;
  uint32_t end;
} tdu_range;

// Returns the words of the folded text, found at the first call; null if there are none, or if there is no memory,
// which sets `*failed`.
const tdu_range *TDU_NULLABLE tdu_text_words(tdu_text *text, size_t *count, bool *failed);

// Returns the part of the source that a range of the folded text comes from.
tdu_range tdu_text_source(const tdu_text *text, tdu_range range);

// The next two functions are for the conformance tests. They return SIZE_MAX if there is no memory.

// Finds the ends of all segments of a text, also of spaces and punctuation. `ends` has room for `count` numbers.
// Returns their number.
size_t tdu_segment_ends(const uint8_t *source, size_t count, uint32_t *ends);
// Composes a text (NFC); otherwise as `tdu_fold`.
size_t tdu_compose(const uint8_t *source, size_t count, uint8_t *output, size_t capacity);

TDU_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
