#include "include/CTextIndex.h"

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>

#include "Grams.h"
#include "Search.h"
#include "SegmentBuilder.h"
#include "SegmentDigests.h"
#include "SegmentMerge.h"

using namespace todana::text;

namespace {

template <typename Body>
tdt_status guarded(Body body) {
  try {
    body();
    return TDT_OK;
  } catch (const Damaged &) {
    return TDT_DAMAGED;
  } catch (const CallerFailed &) {
    return TDT_CALLER_FAILED;
  } catch (const std::length_error &) {
    return TDT_TOO_LONG;
  } catch (const std::exception &) {
    return TDT_NO_MEMORY;
  }
}

class CallbackSink : public PageSink {
 public:
  CallbackSink(tdt_write_page write, void *context) : write_(write), context_(context) {}

  void write(uint64_t number, const uint8_t *bytes, size_t count) override {
    if (!write_(context_, number, bytes, count)) throw CallerFailed();
  }

 private:
  const tdt_write_page write_;
  void *const context_;
};

class CallbackSource : public PageSource {
 public:
  CallbackSource(tdt_read_page read, void *context) : read_(read), context_(context) {}

  size_t read(uint64_t number, uint8_t *buffer) override {
    size_t count = 0;
    if (!read_(context_, number, buffer, &count)) throw CallerFailed();
    return count;
  }

 private:
  const tdt_read_page read_;
  void *const context_;
};

void copy(const SegmentInfo &info, tdt_info *output) {
  const Bytes bytes = info.encoded();
  static_assert(sizeof(output->bytes) >= 1 + 15 * 10, "a number has at most 10 bytes");
  std::copy(bytes.begin(), bytes.end(), output->bytes);
  output->count = bytes.size();
}

// Returns the documents of row ids; rows that the segment does not have are left out.
std::vector<uint32_t> documents(const RowTable &rows, const uint64_t *ids, size_t count) {
  std::vector<uint32_t> documents;
  for (size_t index = 0; index < count; index++) {
    if (const std::optional<uint32_t> document = rows.document(ids[index])) documents.push_back(*document);
  }
  return documents;
}

}  // namespace

struct tdt_builder {
  SegmentBuilder builder;
};

struct tdt_tables {
  std::shared_ptr<const SegmentTables> tables;
};

struct tdt_page_cache {
  PageCache cache;

  explicit tdt_page_cache(size_t byteCapacity) : cache(byteCapacity) {}
};

struct tdt_segment {
  CallbackSource source;
  Segment segment;

  tdt_segment(const tdt_tables &tables, PageCache *cache, tdt_read_page read, void *context)
      : source(read, context), segment(tables.tables, source, cache) {}
};

struct tdt_query {
  std::vector<std::unique_ptr<Query>> parts;
  size_t termCount = 0;

  void addTerm(std::unique_ptr<Query> part) {
    part->term = termCount++;
    parts.push_back(std::move(part));
  }
};

struct tdt_search {
  Segment &segment;
  Search search;
  // The window that was searched last, with the documents of it that were not given yet.
  Window window{0, 0};
  Verdict verdict;
  std::vector<uint32_t> found;
  size_t given = 0;

  tdt_search(Segment &segment, const Query &query, const Search::Columns &columns, std::vector<uint32_t> hidden)
      : segment(segment), search(segment, query, columns, std::move(hidden)) {}

  // Searches the next window. Returns false at the end.
  bool advance() {
    found.clear();
    given = 0;
    // A segment has fewer than 2^32 documents.
    if (!search.find(static_cast<uint32_t>(window.end()), window, verdict)) return false;
    verdict.maybe.forEach([&](uint32_t document) { found.push_back(document); });
    return true;
  }
};

tdt_status tdt_info_read(const uint8_t *bytes, size_t count, tdt_info_values *values) {
  return guarded([&] {
    const SegmentInfo info = SegmentInfo::decode(bytes, count);
    *values = {
      info.keepsPositions,
      info.hasGrams,
      info.rowCount,
      info.wordCount,
      info.termCount,
      info.firstRow,
      info.lastRow,
      info.dictionarySize + info.fencesSize + info.postingsSize + info.positionsSize + info.rowsSize +
        info.lengthsSize() + info.directorySize};
  });
}

// MARK: Building

tdt_builder *tdt_builder_new(bool keepsPositions, bool hasGrams) {
  tdt_builder *builder = nullptr;
  guarded([&] { builder = new tdt_builder{SegmentBuilder({keepsPositions, hasGrams})}; });
  return builder;
}

void tdt_builder_free(tdt_builder *builder) { delete builder; }

tdt_status tdt_builder_begin_row(tdt_builder *builder, uint64_t row) {
  return guarded([&] { builder->builder.beginRow(row); });
}

tdt_status tdt_builder_add(tdt_builder *builder, const tdt_text *text) {
  return guarded([&] {
    builder->builder.add(
      {text->column, text->bytes, text->byte_count, text->words, text->word_count, text->stems, text->stem_ends});
  });
}

uint32_t tdt_builder_row_count(const tdt_builder *builder) { return builder->builder.rowCount(); }

size_t tdt_builder_memory(const tdt_builder *builder) { return builder->builder.memory(); }

tdt_status tdt_builder_write(const tdt_builder *builder, tdt_write_page write, void *context, tdt_info *info) {
  return guarded([&] {
    CallbackSink sink(write, context);
    copy(builder->builder.write(sink), info);
  });
}

// MARK: Reading

tdt_tables *tdt_tables_read(
  const uint8_t *info, size_t count, tdt_read_page read, void *context, tdt_status *status) {
  tdt_tables *tables = nullptr;
  *status = guarded([&] {
    CallbackSource source(read, context);
    tables = new tdt_tables{SegmentTables::read(SegmentInfo::decode(info, count), source)};
  });
  return tables;
}

void tdt_tables_free(tdt_tables *tables) { delete tables; }

size_t tdt_tables_memory(const tdt_tables *tables) {
  const SegmentTables &parts = *tables->tables;
  return parts.pages.memory() + parts.rows.memory() + parts.fences.memory() + parts.lengths.capacity();
}

void tdt_tables_find(const tdt_tables *tables, const uint64_t *rows, size_t count, bool *found) {
  for (size_t index = 0; index < count; index++) {
    found[index] = tables->tables->rows.document(rows[index]).has_value();
  }
}

uint64_t tdt_tables_count_words(const tdt_tables *tables, const uint64_t *rows, size_t count, uint32_t *found) {
  uint64_t words = 0;
  *found = 0;
  for (size_t index = 0; index < count; index++) {
    const std::optional<uint32_t> document = tables->tables->rows.document(rows[index]);
    if (!document) continue;
    words += tables->tables->length(*document);
    ++*found;
  }
  return words;
}

tdt_page_cache *tdt_page_cache_new(size_t byteCapacity) {
  tdt_page_cache *cache = nullptr;
  guarded([&] { cache = new tdt_page_cache(byteCapacity); });
  return cache;
}

void tdt_page_cache_free(tdt_page_cache *cache) { delete cache; }

tdt_segment *tdt_segment_open(
  const tdt_tables *tables, tdt_page_cache *cache, tdt_read_page read, void *context) {
  return new (std::nothrow) tdt_segment(*tables, cache == nullptr ? nullptr : &cache->cache, read, context);
}

void tdt_segment_free(tdt_segment *segment) { delete segment; }

void tdt_tables_rows(const tdt_tables *tables, uint32_t first, uint32_t count, uint64_t *rows) {
  for (uint32_t index = 0; index < count; index++) rows[index] = tables->tables->rows.row(first + index);
}

tdt_status tdt_segment_digests(tdt_segment *segment, uint64_t *output) {
  return guarded([&] {
    const std::vector<uint64_t> all = digests(segment->segment);
    std::copy(all.begin(), all.end(), output);
  });
}

// MARK: Merging

tdt_status tdt_merge(
  const tdt_merge_input *inputs, size_t count, tdt_write_page write, void *context, tdt_info *info) {
  return guarded([&] {
    std::vector<MergeInput> all;
    for (size_t index = 0; index < count; index++) {
      Segment &segment = inputs[index].segment->segment;
      all.push_back({&segment, documents(segment.rows(), inputs[index].dropped, inputs[index].dropped_count)});
    }
    CallbackSink sink(write, context);
    copy(merge(all, sink), info);
  });
}

// MARK: Searching

namespace {

std::vector<WordPattern> patterns(const tdt_pattern *patterns, size_t count) {
  std::vector<WordPattern> all;
  for (size_t index = 0; index < count; index++) {
    const tdt_pattern &given = patterns[index];
    WordPattern pattern;
    pattern.kind = static_cast<WordPattern::Kind>(given.kind);
    pattern.bytes.assign(given.bytes, given.bytes + given.byte_count);
    pattern.stem.assign(given.stem, given.stem + given.stem_count);
    pattern.edits = given.edits;
    if (given.test != nullptr) {
      pattern.test = [test = given.test, context = given.context](const uint8_t *word, size_t size) {
        return test(context, word, size);
      };
    }
    all.push_back(std::move(pattern));
  }
  return all;
}

}  // namespace

tdt_query *tdt_query_new(void) { return new (std::nothrow) tdt_query(); }

void tdt_query_free(tdt_query *query) { delete query; }

tdt_status tdt_query_add_words(tdt_query *query, const tdt_pattern *words, size_t count) {
  return guarded([&] {
    auto part = std::make_unique<Query>();
    part->kind = Query::Kind::words;
    part->words = patterns(words, count);
    query->addTerm(std::move(part));
  });
}

tdt_status tdt_query_add_near(
  tdt_query *query, const tdt_pattern *words, const size_t *sizes, size_t phraseCount, uint32_t distance) {
  return guarded([&] {
    auto part = std::make_unique<Query>();
    part->kind = Query::Kind::near;
    part->phraseSizes.assign(sizes, sizes + phraseCount);
    size_t count = 0;
    for (const size_t size : part->phraseSizes) count += size;
    part->words = patterns(words, count);
    part->distance = distance;
    query->addTerm(std::move(part));
  });
}

tdt_status tdt_query_add_part(tdt_query *query, const uint8_t *bytes, size_t count, bool begins, bool ends) {
  return guarded([&] {
    auto part = std::make_unique<Query>();
    part->kind = Query::Kind::part;
    if (begins) part->scalars.push_back(kTextMark);
    appendScalars(bytes, count, part->scalars);
    if (ends) part->scalars.push_back(kTextMark);
    query->addTerm(std::move(part));
  });
}

tdt_status tdt_query_add_anything(tdt_query *query) {
  return guarded([&] {
    auto part = std::make_unique<Query>();
    part->kind = Query::Kind::anything;
    query->addTerm(std::move(part));
  });
}

tdt_status tdt_query_join(tdt_query *query, int32_t joint, size_t count) {
  return guarded([&] {
    auto part = std::make_unique<Query>();
    part->kind = joint == TDT_ALL ? Query::Kind::all : joint == TDT_ANY ? Query::Kind::any : Query::Kind::negation;
    const auto first = query->parts.end() - static_cast<ptrdiff_t>(count);
    part->children.assign(std::make_move_iterator(first), std::make_move_iterator(query->parts.end()));
    query->parts.erase(first, query->parts.end());
    query->parts.push_back(std::move(part));
  });
}

tdt_search *tdt_search_new(
  tdt_segment *segment, const tdt_query *query, const uint8_t *columns, size_t columnCount, bool areAll,
  const uint64_t *hidden, size_t hiddenCount, tdt_status *status) {
  std::unique_ptr<tdt_search> search;
  *status = guarded([&] {
    const Search::Columns searched{{columns, columns + columnCount}, areAll};
    search = std::make_unique<tdt_search>(
      segment->segment, *query->parts.at(0), searched, documents(segment->segment.rows(), hidden, hiddenCount));
  });
  return *status == TDT_OK ? search.release() : nullptr;
}

void tdt_search_free(tdt_search *search) { delete search; }

uint64_t tdt_search_estimate(const tdt_search *search) { return search->search.estimate(); }

tdt_status tdt_search_next(tdt_search *search, uint64_t *rows, bool *sure, size_t capacity, size_t *count) {
  *count = 0;
  return guarded([&] {
    while (*count < capacity) {
      if (search->given == search->found.size() && !search->advance()) return;
      for (; *count < capacity && search->given < search->found.size(); search->given++) {
        const uint32_t document = search->found[search->given];
        rows[*count] = search->segment.rows().row(search->window.first + document);
        sure[*count] = search->verdict.sure.has(document);
        ++*count;
      }
    }
  });
}

tdt_status tdt_search_count(tdt_search *search, uint64_t *sure, uint64_t *untested) {
  *sure = *untested = 0;
  return guarded([&] { search->search.count(*sure, *untested); });
}

// MARK: Ranking

struct tdt_ranking {
  RankingInput input;
  WindowScores scores;
  BestRows best;

  tdt_ranking(RankingInput values, size_t limit) : input(std::move(values)), scores(input), best(limit) {}
};

tdt_ranking *tdt_ranking_new(
  size_t limit, const double *rarities, size_t termCount, const double *weights, size_t columnCount,
  double averageLength) {
  tdt_ranking *ranking = nullptr;
  guarded([&] {
    RankingInput input({rarities, rarities + termCount}, {weights, weights + columnCount}, averageLength);
    ranking = new tdt_ranking(std::move(input), limit);
  });
  return ranking;
}

void tdt_ranking_free(tdt_ranking *ranking) { delete ranking; }

tdt_status tdt_ranking_add(tdt_ranking *ranking, tdt_search *search, bool *isRanked) {
  *isRanked = false;
  return guarded([&] { *isRanked = search->search.rank(ranking->scores, ranking->best); });
}

size_t tdt_ranking_count(const tdt_ranking *ranking) { return ranking->best.count(); }

tdt_status tdt_ranking_rows(const tdt_ranking *ranking, uint64_t *rows) {
  return guarded([&] {
    const std::vector<uint64_t> all = ranking->best.rows();
    std::copy(all.begin(), all.end(), rows);
  });
}
