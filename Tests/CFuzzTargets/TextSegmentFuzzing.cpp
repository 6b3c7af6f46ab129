// Fuzzes the decoder of the segments of text indexes, through CTextIndex.h only.
//
// The first byte of an input selects a valid segment and the form of the rest: patches of the segment's description and
// pages, or all of them. Every call must end with a status, or with what a sound segment could give.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "CFuzzTargets.h"
#include "CTextIndex.h"
#include "Input.h"
#include "SampleStore.h"

namespace todana::fuzzing {

namespace {

// Bits of the first byte.
constexpr uint8_t kKeepsPositions = 1;
constexpr uint8_t kHasGrams = 2;
constexpr uint8_t kHasStems = 4;
constexpr uint8_t kIsLarge = 8;
constexpr uint8_t kIsRaw = 16;  // description and pages come from the input
constexpr uint8_t kFormCount = 16;

// The description and the pages of a segment.
struct Segment {
  std::string info;
  std::map<uint64_t, std::string> pages;

  size_t size() const {
    size_t size = info.size();
    for (const auto &page : pages) size += page.second.size();
    return size;
  }

  static bool write(void *context, uint64_t number, const uint8_t *bytes, size_t count) {
    static_cast<Segment *>(context)->pages[number].assign(reinterpret_cast<const char *>(bytes), count);
    return true;
  }

  static bool read(void *context, uint64_t number, uint8_t *buffer, size_t *count) {
    const Segment &segment = *static_cast<Segment *>(context);
    const auto page = segment.pages.find(number);
    if (page == segment.pages.end()) return false;
    std::memcpy(buffer, page->second.data(), page->second.size());
    *count = page->second.size();
    return true;
  }

  void set(const tdt_info &written) { info.assign(reinterpret_cast<const char *>(written.bytes), written.count); }
  const uint8_t *infoBytes() const { return reinterpret_cast<const uint8_t *>(info.data()); }
};

void require(tdt_status status) {
  if (status != TDT_OK) found("a valid segment gives an error");
}

// Returns whether a call has succeeded. No call may ask for more memory than there is.
bool succeeds(tdt_status status) {
  if (status == TDT_NO_MEMORY) found("a segment asks for too much memory");
  if (status != TDT_OK && status != TDT_DAMAGED && status != TDT_CALLER_FAILED && status != TDT_TOO_LONG) {
    found("a status has no meaning");
  }
  return status == TDT_OK;
}

using Builder = std::unique_ptr<tdt_builder, decltype(&tdt_builder_free)>;
using Tables = std::unique_ptr<tdt_tables, decltype(&tdt_tables_free)>;
using Opened = std::unique_ptr<tdt_segment, decltype(&tdt_segment_free)>;
using Query = std::unique_ptr<tdt_query, decltype(&tdt_query_free)>;
using SearchOf = std::unique_ptr<tdt_search, decltype(&tdt_search_free)>;
using Ranking = std::unique_ptr<tdt_ranking, decltype(&tdt_ranking_free)>;

void addText(tdt_builder *builder, uint8_t column, const std::string &text, bool hasStems) {
  std::vector<uint32_t> words;
  std::string stems;
  std::vector<size_t> stemEnds;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    words.insert(words.end(), {static_cast<uint32_t>(start), static_cast<uint32_t>(end)});
    stems += text.substr(start, std::min<size_t>(end - start, 3));
    stemEnds.push_back(stems.size());
    start = end + 1;
  }
  tdt_text added = {};
  added.column = column;
  added.bytes = reinterpret_cast<const uint8_t *>(text.data());
  added.byte_count = text.size();
  added.words = words.data();
  added.word_count = words.size() / 2;
  if (hasStems) {
    added.stems = reinterpret_cast<const uint8_t *>(stems.data());
    added.stem_ends = stemEnds.data();
  }
  require(tdt_builder_add(builder, &added));
}

Segment make(uint8_t form, uint64_t firstRow) {
  const Builder builder(tdt_builder_new(form & kKeepsPositions, form & kHasGrams), tdt_builder_free);
  const uint32_t rowCount = form & kIsLarge ? 700 : 9;
  const std::string longWord(300, 'w');
  for (uint32_t row = 0; row < rowCount; row++) {
    require(tdt_builder_begin_row(builder.get(), firstRow + row + (row % 50 == 49 ? 1 : 0)));
    const std::string number = std::to_string(row);
    addText(builder.get(), 0, "all " + number + (row % 3 == 0 ? " third all" : " blue"), form & kHasStems);
    if (row % 4 == 0) addText(builder.get(), 1, "\xE6\xBC\xA2\xE5\xAD\x97 all ab" + number, form & kHasStems);
    if (row == 5) addText(builder.get(), 2, longWord + " " + longWord + "x", form & kHasStems);
  }
  Segment segment;
  tdt_info info = {};
  require(tdt_builder_write(builder.get(), Segment::write, &segment, &info));
  segment.set(info);
  return segment;
}

const Segment &sample(uint8_t form) {
  static const std::vector<Segment> samples = [] {
    std::vector<Segment> samples;
    for (uint8_t form = 0; form < kFormCount; form++) samples.push_back(make(form, 100));
    return samples;
  }();
  return samples[form % kFormCount];
}

std::string takePage(Input &input) {
  const uint16_t head = input.take<uint16_t>();
  std::string page = input.takeBytes(std::min<size_t>(head & 0x3FFF, TDT_PAGE_SIZE));
  // The rest of a page of the dictionary is zero.
  if (head & 0x8000) page.resize(TDT_PAGE_SIZE);
  return page;
}

Segment takeSegment(Input &input) {
  Segment segment;
  segment.info = input.takeBytes(input.take<uint8_t>());
  for (uint64_t number = 1; !input.isAtEnd() && number < 64; number++) segment.pages[number] = takePage(input);
  return segment;
}

// Applies patches: a page or 0 for the description, a distance, and a byte with the kind and the number of bytes.
void patch(Segment &segment, Input &input) {
  while (!input.isAtEnd()) {
    const uint64_t number = input.take<uint8_t>() % (segment.pages.size() + 1);
    const size_t distance = input.take<uint16_t>();
    const uint8_t how = input.take<uint8_t>();
    std::string &part = number == 0 ? segment.info : segment.pages[number];
    if (how < 0xC0) {
      const std::string bytes = input.takeBytes(how & 63);
      if (part.empty()) continue;
      for (size_t index = 0; index < bytes.size(); index++) part[(distance + index) % part.size()] = bytes[index];
      continue;
    }
    switch (how & 3) {
      case 0: part.resize(distance % (TDT_PAGE_SIZE + 1)); break;
      case 1: segment.pages.erase(number); continue;
      case 2: part = segment.pages.empty() ? "" : std::next(segment.pages.begin(), distance % segment.pages.size())->second; break;
      default: part.insert(distance % (part.size() + 1), input.takeBytes(how >> 2 & 15)); break;
    }
    if (part.size() > TDT_PAGE_SIZE) part.resize(TDT_PAGE_SIZE);
  }
}

bool test(void *, const uint8_t *word, size_t count) { return count > 0 && word[count - 1] != '7'; }

tdt_pattern pattern(tdt_pattern_kind kind, const char *bytes, const char *stem = "") {
  tdt_pattern pattern = {};
  pattern.kind = kind;
  pattern.bytes = reinterpret_cast<const uint8_t *>(bytes);
  pattern.byte_count = std::strlen(bytes);
  pattern.stem = reinterpret_cast<const uint8_t *>(stem);
  pattern.stem_count = std::strlen(stem);
  if (kind == TDT_FUZZY) {
    pattern.test = test;
    // More than any word of the samples has.
    pattern.edits = 64;
  }
  return pattern;
}

// The terms of a query that is made for a number, and how many it has.
constexpr int kQueryCount = 14;

size_t fill(tdt_query *query, int number) {
  const auto words = [&](std::vector<tdt_pattern> patterns) {
    require(tdt_query_add_words(query, patterns.data(), patterns.size()));
  };
  const auto part = [&](const char *bytes, bool begins, bool ends) {
    require(tdt_query_add_part(query, reinterpret_cast<const uint8_t *>(bytes), std::strlen(bytes), begins, ends));
  };
  switch (number) {
    case 0: words({pattern(TDT_WHOLE, "all")}); return 1;
    case 1: words({pattern(TDT_BEGINNING, "")}); return 1;
    case 2: words({pattern(TDT_END, "d")}); return 1;
    case 3: words({pattern(TDT_FUZZY, "")}); return 1;
    case 4: words({pattern(TDT_WHOLE, "third"), pattern(TDT_WHOLE, "all")}); return 1;
    case 5: words({pattern(TDT_WHOLE, "all", "all")}); return 1;
    case 6: words({pattern(TDT_WHOLE, "all"), pattern(TDT_BEGINNING, "1")}); return 1;
    case 7: {
      const tdt_pattern patterns[] = {pattern(TDT_WHOLE, "all"), pattern(TDT_WHOLE, "third"), pattern(TDT_END, "l")};
      const size_t sizes[] = {2, 1};
      require(tdt_query_add_near(query, patterns, sizes, 2, 3));
      return 1;
    }
    case 8: part("ll 1", false, false); return 1;
    case 9: part("a", true, false); return 1;
    case 10: part("\xE6\xBC\xA2", false, false); return 1;
    case 11: part("blue", false, true); return 1;
    case 12:
      words({pattern(TDT_WHOLE, "third")});
      require(tdt_query_join(query, TDT_NOT, 1));
      words({pattern(TDT_WHOLE, "all")});
      part("l 2", false, false);
      require(tdt_query_join(query, TDT_ANY, 2));
      require(tdt_query_join(query, TDT_ALL, 2));
      return 3;
    default:
      require(tdt_query_add_anything(query));
      words({pattern(TDT_BEGINNING, std::string(250, 'w').c_str())});
      require(tdt_query_join(query, TDT_ANY, 2));
      return 2;
  }
}

void search(tdt_segment *segment, const tdt_info_values &values, int number, bool isSound) {
  const Query query(tdt_query_new(), tdt_query_free);
  const size_t termCount = fill(query.get(), number);
  const uint8_t columns[] = {0, 1, 2};
  const size_t columnCount = number % 3 == 1 ? 1 : 3;
  const std::vector<uint64_t> hidden = number % 2 ? std::vector<uint64_t>() : std::vector<uint64_t>{3, 102, 104, 1u << 20};
  tdt_status status = TDT_OK;
  const SearchOf search(
    tdt_search_new(
      segment, query.get(), columns, columnCount, columnCount == 3, hidden.data(), hidden.size(), &status),
    tdt_search_free);
  if (!succeeds(status)) return;
  uint64_t sure = 0, untested = 0;
  const bool isCounted = succeeds(tdt_search_count(search.get(), &sure, &untested));

  uint64_t foundCount = 0, last = 0;
  for (;;) {
    uint64_t rows[100];
    bool areSure[100];
    size_t count = 0;
    if (!succeeds(tdt_search_next(search.get(), rows, areSure, 100, &count)) || count == 0) break;
    for (size_t index = 0; index < count; index++) {
      if (foundCount++ > 0 && rows[index] <= last) found("rows are not in ascending order");
      last = rows[index];
      if (last < values.first_row || last > values.last_row) found("a row is not in the segment");
      if (std::binary_search(hidden.begin(), hidden.end(), last)) found("a hidden row is found");
    }
  }
  if (foundCount > values.row_count) found("more rows are found than there are");
  if (isSound && (!isCounted || sure + untested != foundCount)) found("the count is not the number of rows");
  if (isSound && foundCount == 0 && number != 10) found("a valid segment lacks a term");

  const std::vector<double> rarities(termCount, 1.5), weights(columnCount, 2);
  const Ranking ranking(
    tdt_ranking_new(3, rarities.data(), termCount, weights.data(), columnCount, 3), tdt_ranking_free);
  bool isRanked = false;
  if (!succeeds(tdt_ranking_add(ranking.get(), search.get(), &isRanked))) return;
  if (tdt_ranking_count(ranking.get()) > 3) found("more rows are ranked than were wanted");
  std::vector<uint64_t> rows(tdt_ranking_count(ranking.get()));
  succeeds(tdt_ranking_rows(ranking.get(), rows.data()));
}

// Merges the segment with a sound one. The result must be sound, even if it has the wrong texts.
void merge(tdt_segment *segment, Segment &other, bool isSound) {
  tdt_status status = TDT_OK;
  const Tables tables(
    tdt_tables_read(other.infoBytes(), other.info.size(), Segment::read, &other, &status), tdt_tables_free);
  require(status);
  const Opened opened(tdt_segment_open(tables.get(), nullptr, Segment::read, &other), tdt_segment_free);
  const uint64_t dropped[] = {102, 103, 110};
  const tdt_merge_input inputs[] = {{segment, dropped, 3}, {opened.get(), nullptr, 0}};
  Segment merged;
  tdt_info info = {};
  if (!succeeds(tdt_merge(inputs, 2, Segment::write, &merged, &info))) {
    if (isSound) found("valid segments cannot be merged");
    return;
  }
  merged.set(info);
  tdt_info_values values = {};
  require(tdt_info_read(merged.infoBytes(), merged.info.size(), &values));
  const Tables read(
    tdt_tables_read(merged.infoBytes(), merged.info.size(), Segment::read, &merged, &status), tdt_tables_free);
  require(status);
  const Opened result(tdt_segment_open(read.get(), nullptr, Segment::read, &merged), tdt_segment_free);
  std::vector<uint64_t> digests(values.row_count);
  require(tdt_segment_digests(result.get(), digests.data()));
}

void use(Segment &segment, uint8_t form, bool isSound) {
  tdt_info_values values = {};
  if (!succeeds(tdt_info_read(segment.infoBytes(), segment.info.size(), &values))) return;
  tdt_status status = TDT_OK;
  const Tables tables(
    tdt_tables_read(segment.infoBytes(), segment.info.size(), Segment::read, &segment, &status), tdt_tables_free);
  if (!succeeds(status)) return;
  // The row ids take the most: 16 bytes for a run of two.
  if (tdt_tables_memory(tables.get()) > 32 * segment.size() + 4096) found("the tables take too much memory");
  const uint64_t rows[] = {0, 1, 99, 100, 101, 149, 150, 800, UINT64_MAX};
  bool areFound[9];
  tdt_tables_find(tables.get(), rows, 9, areFound);
  uint32_t foundCount = 0;
  tdt_tables_count_words(tables.get(), rows, 9, &foundCount);
  if (foundCount != std::count(areFound, areFound + 9, true)) found("rows are found and not counted");
  if (values.row_count > 0) {
    uint64_t first = 0, last = 0;
    tdt_tables_rows(tables.get(), 0, 1, &first);
    tdt_tables_rows(tables.get(), values.row_count - 1, 1, &last);
    if (first != values.first_row || last != values.last_row) found("the rows are not those of the description");
  }

  const std::unique_ptr<tdt_page_cache, decltype(&tdt_page_cache_free)> cache(
    tdt_page_cache_new(1 << 16), tdt_page_cache_free);
  const Opened opened(tdt_segment_open(tables.get(), cache.get(), Segment::read, &segment), tdt_segment_free);
  std::vector<uint64_t> digests(values.row_count);
  if (!succeeds(tdt_segment_digests(opened.get(), digests.data())) && isSound) found("a valid segment is damaged");
  for (int number = 0; number < kQueryCount; number++) search(opened.get(), values, number, isSound && form & kIsLarge);
  Segment other = make(form & (kKeepsPositions | kHasGrams | kHasStems), 1u << 30);
  merge(opened.get(), other, isSound);
}

void append(std::string &seed, uint16_t number) {
  seed += {static_cast<char>(number), static_cast<char>(number >> 8)};
}

}  // namespace

}  // namespace todana::fuzzing

using namespace todana::fuzzing;

void tdn_fuzz_text_segment(const uint8_t *bytes, size_t byte_count) {
  Input input(bytes, byte_count);
  const uint8_t form = input.take<uint8_t>();
  const bool isRaw = form & kIsRaw;
  Segment segment = isRaw ? takeSegment(input) : sample(form);
  const bool isSound = !isRaw && input.isAtEnd();
  if (!isRaw) patch(segment, input);
  use(segment, form, isSound);
}

void tdn_fuzz_text_segment_seeds(void *context, void (*visit)(void *, const uint8_t *, size_t)) {
  const auto add = [&](const std::string &seed) {
    visit(context, reinterpret_cast<const uint8_t *>(seed.data()), seed.size());
  };
  for (uint8_t form = 0; form < kFormCount; form++) {
    const Segment &segment = sample(form);
    add(std::string{static_cast<char>(form)});
    // Patches that change nothing: of the description, and of the beginning of each page.
    std::string patches{static_cast<char>(form)};
    const auto addPatch = [&](uint8_t number, const std::string &part) {
      const std::string start = part.substr(0, 40);
      patches += static_cast<char>(number);
      append(patches, 0);
      patches += static_cast<char>(start.size()) + start;
    };
    addPatch(0, segment.info);
    for (const auto &page : segment.pages) addPatch(static_cast<uint8_t>(page.first), page.second);
    add(patches);
    if (form & kIsLarge) continue;
    std::string raw{static_cast<char>(form | kIsRaw)};
    raw += static_cast<char>(segment.info.size()) + segment.info;
    for (const auto &page : segment.pages) {
      std::string stored = page.second;
      const bool isPadded = stored.size() == TDT_PAGE_SIZE;
      if (isPadded) stored.resize(stored.find_last_not_of('\0') + 1);
      append(raw, static_cast<uint16_t>(stored.size() | (isPadded ? 0x8000 : 0)));
      raw += stored;
    }
    add(raw);
  }
}
