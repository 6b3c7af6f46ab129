#include "PostingsUnion.h"

namespace todana::text {

void PostingsUnion::add(Segment &segment, const DictionaryCursor &cursor) {
  PostingsReader reader = segment.postings(cursor);
  documentCount_ += reader.documentCount();
  if (keepsLists_ || reader.groupCount() > 1) {
    readers_.push_back(std::move(reader));
    return;
  }
  shortCount_++;
  reader.load(0);
  for (size_t index = 0; index < reader.count(); index++) {
    few_.push_back({reader.documents()[index], reader.counts()[index]});
  }
}

void PostingsUnion::finish() {
  std::sort(few_.begin(), few_.end(), [](const Place &one, const Place &other) {
    return one.document < other.document;
  });
}

uint32_t PostingsUnion::nextOfSeveral(uint32_t document) {
  const auto place = firstOfFew(document);
  uint32_t least = place == few_.end() ? kNoDocument : place->document;
  for (PostingsReader &reader : readers_) {
    if (least == document) break;
    if (reader.seek(document)) least = std::min(least, reader.document());
  }
  return least;
}

double PostingsUnion::bound(
  const Window &window, const Segment &segment, const RankingInput &input, double weight) {
  // Terms with several lists have too many documents for a low bound, and lists without impacts are short.
  const auto nextFew = firstOfFew(window.first);
  const bool hasFew = nextFew != few_.end() && nextFew->document < window.end();
  areCountsKnown_ = readers_.empty() || (readers_.size() == 1 && !hasFew && readers_[0].hasImpacts());
  if (!areCountsKnown_) return RankingInput::kHighestSaturation;
  double bound = 0;
  highestCounts_.fill(0);
  const auto add = [&](uint32_t count, uint32_t length) {
    uint32_t &highest = highestCounts_[std::min(length, kLengths - 1)];
    highest = std::max(highest, count);
    bound = std::max(bound, input.saturation(weight * count, length));
  };
  for (auto next = nextFew; next != few_.end() && next->document < window.end();) {
    const uint32_t document = next->document;
    uint32_t count = 0;
    for (; next != few_.end() && next->document == document; ++next) count += next->count;
    add(count, segment.length(document));
  }
  if (!readers_.empty()) readers_[0].forEachImpact(window, add);
  for (size_t length = 1; length < kLengths; length++) {
    highestCounts_[length] = std::max(highestCounts_[length], highestCounts_[length - 1]);
  }
  return bound;
}

Positions PostingsUnion::positions(uint32_t document, std::vector<uint32_t> &buffer) {
  Positions positions;
  buffer.clear();
  for (PostingsReader &reader : readers_) {
    if (!reader.seek(document) || reader.document() != document) continue;
    const uint32_t *const first = reader.positions();
    const Positions more{first, first + reader.placeCount()};
    if (positions.count() == 0) {
      positions = more;
      continue;
    }
    if (buffer.empty()) buffer.assign(positions.begin, positions.end);
    buffer.insert(buffer.end(), more.begin, more.end);
    positions = {buffer.data(), buffer.data() + buffer.size()};
  }
  if (buffer.empty()) return positions;
  // Several terms may have one place, such as a word and its stem.
  std::sort(buffer.begin(), buffer.end());
  buffer.erase(std::unique(buffer.begin(), buffer.end()), buffer.end());
  return {buffer.data(), buffer.data() + buffer.size()};
}

}  // namespace todana::text
