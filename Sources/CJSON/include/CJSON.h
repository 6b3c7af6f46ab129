// JSON by RapidJSON: a parser that reports values one after another, and a writer.
//
// This is the plain C interface of the C++ of this target; no C++ exception crosses it.
#ifndef TODANA_CJSON_H
#define TODANA_CJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define TDJ_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define TDJ_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define TDJ_NULLABLE _Nullable
#define TDJ_NONNULL _Nonnull
#else
#define TDJ_ASSUME_NONNULL_BEGIN
#define TDJ_ASSUME_NONNULL_END
#define TDJ_NULLABLE
#define TDJ_NONNULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

TDJ_ASSUME_NONNULL_BEGIN

// The parts of a JSON text, in the order of the text. A number is passed as its text.
typedef enum {
  TDJ_NULL,
  TDJ_FALSE,
  TDJ_TRUE,
  TDJ_NUMBER,
  TDJ_STRING,
  TDJ_KEY,
  TDJ_ARRAY_START,
  TDJ_ARRAY_END,
  TDJ_OBJECT_START,
  TDJ_OBJECT_END,
} tdj_part;

// Receives a part. `bytes` is the text of a number, string or key, and null for other parts. Returns false to end the
// parsing.
typedef bool (*tdj_take)(void *context, tdj_part part, const char *TDJ_NULLABLE bytes, size_t count);

typedef enum {
  TDJ_PARSED,
  // The text is no JSON.
  TDJ_INVALID,
  // A number is beyond the range of double.
  TDJ_TOO_LARGE,
  // `take` has returned false.
  TDJ_STOPPED,
} tdj_outcome;

// Parses a JSON text in UTF-8, of any depth and without recursion. If the outcome is not TDJ_PARSED, `offset` is the
// place of the error, and `message` the reason, which is never freed.
tdj_outcome tdj_parse(
  const char *TDJ_NULLABLE text, size_t count, void *context, tdj_take take, size_t *offset,
  const char *TDJ_NULLABLE *TDJ_NONNULL message);

// A text that is being written. One thread.
typedef struct tdj_writer tdj_writer;

// Makes a writer. `is_pretty`: one line for each value, indented by two spaces. Returns null if there is no memory.
tdj_writer *TDJ_NULLABLE tdj_writer_new(bool is_pretty);
void tdj_writer_free(tdj_writer *writer);

// Appends a part. A number is written as it is passed; strings and keys must be UTF-8. Returns false if there is no
// memory.
bool tdj_write(tdj_writer *writer, tdj_part part, const char *TDJ_NULLABLE bytes, size_t count);

// Returns the text, which the next call of `tdj_write` invalidates.
const char *tdj_written(tdj_writer *writer, size_t *count);

TDJ_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
