// The searches of the C interface.
#include <algorithm>
#include <new>

#include "CInterface.h"
#include "Grams.h"
#include "Search.h"
#include "WordList.h"

using namespace todana::text;

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

// MARK: Words

struct tdt_words {
  WordList list;
};

tdt_words *tdt_words_find(
  tdt_segment *const *segments, size_t segmentCount, const uint8_t *columns, size_t columnCount,
  const tdt_pattern *pattern, size_t limit, tdt_status *status) {
  tdt_words *words = nullptr;
  *status = guarded([&] {
    std::vector<Segment *> all;
    for (size_t index = 0; index < segmentCount; index++) all.push_back(&segments[index]->segment);
    words = new tdt_words{WordList(all, {columns, columns + columnCount}, patterns(pattern, 1)[0], limit)};
  });
  return words;
}

void tdt_words_free(tdt_words *words) { delete words; }

size_t tdt_words_count(const tdt_words *words) { return words->list.words().size(); }

bool tdt_words_are_all(const tdt_words *words) { return words->list.areAll(); }

bool tdt_words_have_cut(const tdt_words *words) { return words->list.hasCutWords(); }

const uint8_t *tdt_words_get(const tdt_words *words, size_t index, size_t *count, uint64_t *documentCount) {
  const FoundWord &word = words->list.words()[index];
  *count = word.bytes.size();
  *documentCount = word.documentCount;
  return reinterpret_cast<const uint8_t *>(word.bytes.data());
}
