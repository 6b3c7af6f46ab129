#include "SegmentMerge.h"

#include <algorithm>
#include <string>

#include "TermWalk.h"

namespace todana::text {

namespace {

constexpr uint32_t kDropped = UINT32_MAX;

// The numbers of documents in the new segment.
class NewNumbers {
 public:
  explicit NewNumbers(const std::vector<MergeInput> &inputs) : numbers_(inputs.size()), next_(inputs.size()) {
    for (size_t input = 0; input < inputs.size(); input++) {
      numbers_[input].assign(inputs[input].segment->rowCount(), 0);
      for (const uint32_t document : inputs[input].dropped) {
        if (document >= numbers_[input].size()) throw Damaged();
        numbers_[input][document] = kDropped;
      }
    }
    for (;;) {
      const size_t input = inputOfNextRow(inputs);
      if (input == inputs.size()) break;
      const uint32_t document = next_[input]++;
      const uint64_t row = inputs[input].segment->rows().row(document);
      if (rows.count() > 0 && row <= rows.last()) throw Damaged();
      numbers_[input][document] = rows.count();
      rows.add(row);
      newLengths.push_back(inputs[input].segment->length(document));
    }
    for (const std::vector<uint32_t> &numbers : numbers_) {
      bool isShift = !numbers.empty() && numbers[0] != kDropped;
      for (size_t document = 0; document < numbers.size(); document++) {
        isShift = isShift && numbers[document] == numbers[0] + document;
      }
      areShifts_.push_back(isShift);
    }
  }

  // Returns the new numbers of the documents of an input.
  const uint32_t *of(size_t input) const { return numbers_[input].data(); }
  // Whether the new numbers of an input follow each other, as they usually do, and none is dropped. They are then known
  // without the table, which does not fit into a cache.
  bool areShifts(size_t input) const { return areShifts_[input]; }

  RowTable rows;
  std::vector<uint32_t> newLengths;

 private:
  // Returns the input with the lowest row that is left; the number of inputs if none is.
  size_t inputOfNextRow(const std::vector<MergeInput> &inputs) {
    size_t best = inputs.size();
    uint64_t least = 0;
    for (size_t input = 0; input < inputs.size(); input++) {
      uint32_t &next = next_[input];
      while (next < numbers_[input].size() && numbers_[input][next] == kDropped) next++;
      if (next == numbers_[input].size()) continue;
      const uint64_t row = inputs[input].segment->rows().row(next);
      if (best < inputs.size() && row >= least) continue;
      best = input;
      least = row;
    }
    return best;
  }

  std::vector<std::vector<uint32_t>> numbers_;
  std::vector<bool> areShifts_;
  std::vector<uint32_t> next_;
};

// Collects the postings of a term from the inputs that have it.
class TermMerge {
 public:
  explicit TermMerge(const NewNumbers &numbers) : numbers_(numbers) {}

  void begin() {
    postings_.clear();
    isOrdered_ = true;
  }

  void add(size_t input, PostingsReader reader, bool hasPositions) {
    for (size_t group = 0; group < reader.groupCount(); group++) {
      reader.load(group);
      const size_t first = postings_.documents.size();
      const size_t kept = addDocuments(input, reader);
      if (first > 0 && kept > 0 && postings_.documents[first] <= postings_.documents[first - 1]) isOrdered_ = false;
      if (hasPositions) addPositions(input, reader, kept == reader.count());
    }
  }

  // Returns the postings in the order of the documents.
  const Postings &finish() {
    if (!isOrdered_) sort();
    return postings_;
  }

 private:
  // Adds the documents of a group that are not dropped, and returns their number.
  size_t addDocuments(size_t input, PostingsReader &reader) {
    const uint32_t *const all = numbers_.of(input);
    const uint32_t *const documents = reader.documents();
    const uint32_t *const counts = reader.counts();
    uint32_t numbers[kGroup], kept[kGroup];
    size_t count = 0;
    if (numbers_.areShifts(input)) {
      count = reader.count();
      for (size_t index = 0; index < count; index++) numbers[index] = all[0] + documents[index];
      append(numbers, counts, count);
      return count;
    }
    for (size_t index = 0; index < reader.count(); index++) {
      numbers[count] = all[documents[index]];
      kept[count] = counts[index];
      count += numbers[count] != kDropped;
    }
    append(numbers, kept, count);
    return count;
  }

  void append(const uint32_t *documents, const uint32_t *counts, size_t count) {
    postings_.documents.insert(postings_.documents.end(), documents, documents + count);
    postings_.counts.insert(postings_.counts.end(), counts, counts + count);
  }

  void addPositions(size_t input, PostingsReader &reader, bool areAllKept) {
    const auto append = [&](const uint32_t *positions, size_t count) {
      postings_.positions.insert(postings_.positions.end(), positions, positions + count);
    };
    if (areAllKept) return append(reader.positions(0), reader.totalPlaceCount());
    for (size_t index = 0; index < reader.count(); index++) {
      if (numbers_.of(input)[reader.documents()[index]] == kDropped) continue;
      append(reader.positions(index), reader.counts()[index]);
    }
  }

  void sort() {
    const size_t count = postings_.documents.size();
    std::vector<size_t> order(count), starts(count);
    size_t start = 0;
    for (size_t index = 0; index < count; index++) {
      order[index] = index;
      starts[index] = start;
      start += postings_.counts[index];
    }
    std::sort(order.begin(), order.end(), [&](size_t first, size_t second) {
      return postings_.documents[first] < postings_.documents[second];
    });
    Postings sorted;
    for (const size_t index : order) {
      sorted.documents.push_back(postings_.documents[index]);
      sorted.counts.push_back(postings_.counts[index]);
      if (postings_.positions.empty()) continue;
      const auto first = postings_.positions.begin() + static_cast<ptrdiff_t>(starts[index]);
      sorted.positions.insert(sorted.positions.end(), first, first + postings_.counts[index]);
    }
    postings_ = std::move(sorted);
    isOrdered_ = true;
  }

  const NewNumbers &numbers_;
  Postings postings_;
  bool isOrdered_ = true;
};

// The inputs' dictionaries side by side.
struct Place {
  size_t input;
  TermWalk walk;
};

}  // namespace

SegmentInfo merge(const std::vector<MergeInput> &inputs, PageSink &sink) {
  const SegmentInfo &first = inputs.at(0).segment->info();
  for (const MergeInput &input : inputs) {
    const SegmentInfo &info = input.segment->info();
    if (info.keepsPositions != first.keepsPositions || info.hasGrams != first.hasGrams) throw Damaged();
  }
  NewNumbers numbers(inputs);
  TermMerge term(numbers);
  SegmentWriter writer(
    sink, std::move(numbers.rows), std::move(numbers.newLengths), first.keepsPositions, first.hasGrams);
  std::vector<std::unique_ptr<Place>> places;
  for (size_t input = 0; input < inputs.size(); input++) {
    auto place = std::make_unique<Place>(Place{input, TermWalk(*inputs[input].segment)});
    if (place->walk.begin()) places.push_back(std::move(place));
  }
  // Equal keys come in the order of the inputs, which is usually that of their rows.
  const auto isLater = [](const std::unique_ptr<Place> &one, const std::unique_ptr<Place> &other) {
    const int order = one->walk.key().compare(other->walk.key());
    return order != 0 ? order > 0 : one->input > other->input;
  };
  std::make_heap(places.begin(), places.end(), isLater);
  std::string key;
  while (!places.empty()) {
    key.assign(places.front()->walk.key());
    const bool hasPositions = places.front()->walk.hasPositions();
    term.begin();
    while (!places.empty() && places.front()->walk.key() == key) {
      std::pop_heap(places.begin(), places.end(), isLater);
      Place &place = *places.back();
      term.add(place.input, place.walk.postings(), hasPositions);
      if (place.walk.next()) {
        std::push_heap(places.begin(), places.end(), isLater);
      } else {
        places.pop_back();
      }
    }
    const Postings &postings = term.finish();
    if (!postings.documents.empty()) writer.add(key, postings);
  }
  return writer.finish();
}

}  // namespace todana::text
