// The segments of the C interface: their building, reading and merging.
#include <algorithm>
#include <new>

#include "CInterface.h"
#include "SegmentBuilder.h"
#include "SegmentDigests.h"
#include "SegmentMerge.h"

using namespace todana::text;

namespace todana::text {

std::vector<uint32_t> documents(const RowTable &rows, const uint64_t *ids, size_t count) {
  std::vector<uint32_t> documents;
  for (size_t index = 0; index < count; index++) {
    if (const std::optional<uint32_t> document = rows.document(ids[index])) documents.push_back(*document);
  }
  return documents;
}

}  // namespace todana::text

namespace {

static_assert(kPageSize == TDT_PAGE_SIZE);
static_assert(kLongestWord == TDT_LONGEST_WORD);

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

void copy(const SegmentInfo &info, tdt_info *output) {
  const Bytes bytes = info.encoded();
  static_assert(sizeof(output->bytes) >= 1 + 15 * 10, "a number has at most 10 bytes");
  std::copy(bytes.begin(), bytes.end(), output->bytes);
  output->count = bytes.size();
}

}  // namespace

struct tdt_builder {
  SegmentBuilder builder;
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
