// The segments of a text index: their building, merging and search (docs/formats/text-segments.md).
//
// This is the plain C interface of the C++ of this target; no C++ exception crosses it. An object is used by one thread
// at a time, except tables and page caches, which threads may share.
#ifndef TODANA_CTEXTINDEX_H
#define TODANA_CTEXTINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define TDT_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define TDT_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define TDT_NULLABLE _Nullable
#define TDT_NONNULL _Nonnull
#else
#define TDT_ASSUME_NONNULL_BEGIN
#define TDT_ASSUME_NONNULL_END
#define TDT_NULLABLE
#define TDT_NONNULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

TDT_ASSUME_NONNULL_BEGIN

typedef enum {
  TDT_OK = 0,
  TDT_NO_MEMORY = 1,
  // A page is no page of a segment.
  TDT_DAMAGED = 2,
  // A callback has returned false.
  TDT_CALLER_FAILED = 3,
  // A row has more than 2^32 words or scalars, or a segment more than 2^32 rows.
  TDT_TOO_LONG = 4,
} tdt_status;

// The most bytes of a word that a segment has as a whole.
#define TDT_LONGEST_WORD 200

// The most bytes of a page.
#define TDT_PAGE_SIZE 8192

// Receives a page; the numbers are 1, 2 and so on. Returns false to stop.
typedef bool (*tdt_write_page)(void *context, uint64_t number, const uint8_t *bytes, size_t count);
// Reads a page into a buffer of TDT_PAGE_SIZE bytes. Returns false if that fails.
typedef bool (*tdt_read_page)(void *context, uint64_t number, uint8_t *buffer, size_t *count);

// The description of a segment, which its pages do not have.
typedef struct {
  uint8_t bytes[160];
  size_t count;
} tdt_info;

typedef struct {
  bool keeps_positions;
  bool has_grams;
  uint32_t row_count;
  uint64_t word_count;
  uint64_t term_count;
  uint64_t first_row;
  uint64_t last_row;
  uint64_t byte_count;
} tdt_info_values;

// Returns the values of a description.
tdt_status tdt_info_read(const uint8_t *bytes, size_t count, tdt_info_values *values);

// MARK: Building

typedef struct tdt_builder tdt_builder;

// A text that was folded and divided into words.
typedef struct {
  uint8_t column;
  const uint8_t *TDT_NULLABLE bytes;
  size_t byte_count;
  // The start and the end of each word.
  const uint32_t *TDT_NULLABLE words;
  size_t word_count;
  // The stems of the words one after the other, and the end of each; null without a language.
  const uint8_t *TDT_NULLABLE stems;
  const size_t *TDT_NULLABLE stem_ends;
} tdt_text;

tdt_builder *TDT_NULLABLE tdt_builder_new(bool keeps_positions, bool has_grams);
void tdt_builder_free(tdt_builder *builder);
// Begins the next row, whose id is higher than all before.
tdt_status tdt_builder_begin_row(tdt_builder *builder, uint64_t row);
// Adds a text of the row. The texts of a column come together. After an error, the builder can only be freed.
tdt_status tdt_builder_add(tdt_builder *builder, const tdt_text *text);
uint32_t tdt_builder_row_count(const tdt_builder *builder);
// The approximate number of bytes that the builder takes; writing takes up to three times as many.
size_t tdt_builder_memory(const tdt_builder *builder);
tdt_status tdt_builder_write(const tdt_builder *builder, tdt_write_page write, void *context, tdt_info *info);

// MARK: Reading

// The parts of a segment that stay in memory.
typedef struct tdt_tables tdt_tables;
// An open segment.
typedef struct tdt_segment tdt_segment;

tdt_tables *TDT_NULLABLE tdt_tables_read(
  const uint8_t *info, size_t count, tdt_read_page read, void *context, tdt_status *status);
void tdt_tables_free(tdt_tables *tables);
size_t tdt_tables_memory(const tdt_tables *tables);

// Pages that were read, for all segments of all threads.
typedef struct tdt_page_cache tdt_page_cache;

tdt_page_cache *TDT_NULLABLE tdt_page_cache_new(size_t byte_capacity);
void tdt_page_cache_free(tdt_page_cache *cache);

// Opens a segment, which keeps the tables alive. The cache and the context must live as long.
tdt_segment *TDT_NULLABLE tdt_segment_open(
  const tdt_tables *tables, tdt_page_cache *TDT_NULLABLE cache, tdt_read_page read, void *context);
void tdt_segment_free(tdt_segment *segment);

// Sets for each row id, in ascending order, whether the segment has it.
void tdt_tables_find(const tdt_tables *tables, const uint64_t *rows, size_t count, bool *found);
// Returns the number of words of those row ids that the segment has, and sets their number.
uint64_t tdt_tables_count_words(const tdt_tables *tables, const uint64_t *rows, size_t count, uint32_t *found);

// Writes the row ids of `count` documents from `first` on.
void tdt_tables_rows(const tdt_tables *tables, uint32_t first, uint32_t count, uint64_t *rows);
// Writes a digest of each document, by which segments are compared. Reads all pages.
tdt_status tdt_segment_digests(tdt_segment *segment, uint64_t *digests);

// MARK: Merging

// A segment to merge. `dropped` has the row ids that are left out, in ascending order.
typedef struct {
  tdt_segment *segment;
  const uint64_t *TDT_NULLABLE dropped;
  size_t dropped_count;
} tdt_merge_input;

// Writes the rows of all segments as a new one.
tdt_status tdt_merge(
  const tdt_merge_input *inputs, size_t count, tdt_write_page write, void *context, tdt_info *info);

// MARK: Searching

typedef struct tdt_query tdt_query;
typedef struct tdt_search tdt_search;

typedef enum {
  TDT_WHOLE = 0,
  TDT_BEGINNING = 1,
  TDT_END = 2,
  TDT_FUZZY = 3,
  // A beginning of words that are so long that segments have only their first bytes.
  TDT_CUT = 4,
} tdt_pattern_kind;

typedef struct {
  int32_t kind;  // a `tdt_pattern_kind`
  const uint8_t *TDT_NULLABLE bytes;
  size_t byte_count;
  const uint8_t *TDT_NULLABLE stem;
  size_t stem_count;
  // For TDT_FUZZY: the most changes, and a test of a word. The context must live as long as the query.
  uint32_t edits;
  bool (*TDT_NULLABLE test)(void *TDT_NULLABLE context, const uint8_t *word, size_t count);
  void *TDT_NULLABLE context;
} tdt_pattern;

// A query is made from its ends: parts are added, and then joined. After an error, it can only be freed.
tdt_query *TDT_NULLABLE tdt_query_new(void);
void tdt_query_free(tdt_query *query);
// Adds words that follow each other.
tdt_status tdt_query_add_words(tdt_query *query, const tdt_pattern *patterns, size_t count);
// Adds phrases near each other. `sizes` has the numbers of their words.
tdt_status tdt_query_add_near(
  tdt_query *query, const tdt_pattern *patterns, const size_t *sizes, size_t phrase_count, uint32_t distance);
// Adds a part of the folded text, at its beginning or its end if that is wanted.
tdt_status tdt_query_add_part(tdt_query *query, const uint8_t *TDT_NULLABLE bytes, size_t count, bool begins, bool ends);
// Adds a part that every text may have.
tdt_status tdt_query_add_anything(tdt_query *query);

typedef enum {
  TDT_ALL = 0,
  TDT_ANY = 1,
  TDT_NOT = 2,
} tdt_joint;

// Joins the last `count` parts, which are at least one.
tdt_status tdt_query_join(tdt_query *query, int32_t joint, size_t count);

// Begins a search in some columns; `are_all` tells whether the index has no others. The segment and the query must live
// as long. `hidden` has the row ids that are left out, in ascending order; they are copied.
tdt_search *TDT_NULLABLE tdt_search_new(
  tdt_segment *segment, const tdt_query *query, const uint8_t *columns, size_t column_count, bool are_all,
  const uint64_t *TDT_NULLABLE hidden, size_t hidden_count, tdt_status *status);
void tdt_search_free(tdt_search *search);
// The number of rows at most, without those that are left out.
uint64_t tdt_search_estimate(const tdt_search *search);
// Finds the next rows in ascending order: those that meet the query are sure, others have to be tested. Sets `*count` to
// 0 at the end.
tdt_status tdt_search_next(tdt_search *search, uint64_t *rows, bool *sure, size_t capacity, size_t *count);

// Counts the rows that meet the query, and those that have to be tested. Works at any time.
tdt_status tdt_search_count(tdt_search *search, uint64_t *sure, uint64_t *untested);

// MARK: Ranking

typedef struct tdt_ranking tdt_ranking;

// Begins to collect the rows with the highest relevance. `rarities` has the factor of each term of the query, in the
// order in which they were added, and `weights` that of each column that is searched.
tdt_ranking *TDT_NULLABLE tdt_ranking_new(
  size_t limit, const double *rarities, size_t term_count, const double *weights, size_t column_count,
  double average_length);
void tdt_ranking_free(tdt_ranking *ranking);
// Adds the rows of a search, which need not be at its beginning. Sets `*is_ranked` to false if texts have to be read for
// that.
tdt_status tdt_ranking_add(tdt_ranking *ranking, tdt_search *search, bool *is_ranked);
size_t tdt_ranking_count(const tdt_ranking *ranking);
// Writes the row ids in ascending order.
tdt_status tdt_ranking_rows(const tdt_ranking *ranking, uint64_t *rows);

// MARK: Words

typedef struct tdt_words tdt_words;

// Finds the words of segments that a pattern describes: at most `limit`, those of most documents. The kind of the pattern
// must not be TDT_WHOLE.
tdt_words *TDT_NULLABLE tdt_words_find(
  tdt_segment *TDT_NONNULL const *TDT_NONNULL segments, size_t segment_count, const uint8_t *columns, size_t column_count,
  const tdt_pattern *pattern, size_t limit, tdt_status *status);
void tdt_words_free(tdt_words *words);
size_t tdt_words_count(const tdt_words *words);
// Whether there are no others, besides cut ones.
bool tdt_words_are_all(const tdt_words *words);
// Whether the pattern may describe words that segments do not have as a whole, which are left out.
bool tdt_words_have_cut(const tdt_words *words);
// Returns the bytes of a word, and the number of its documents at most: one with the word in two columns counts twice.
const uint8_t *tdt_words_get(const tdt_words *words, size_t index, size_t *count, uint64_t *document_count);

TDT_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
