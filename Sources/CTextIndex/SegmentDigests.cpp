#include "SegmentDigests.h"

#include "TermWalk.h"

namespace todana::text {

namespace {

uint64_t mix(uint64_t digest, uint64_t value) {
  // The finalizer of SplitMix64.
  digest = (digest ^ value) + 0x9E3779B97F4A7C15;
  digest = (digest ^ (digest >> 30)) * 0xBF58476D1CE4E5B9;
  digest = (digest ^ (digest >> 27)) * 0x94D049BB133111EB;
  return digest ^ (digest >> 31);
}

// Tests whether the impacts of a group, which is loaded, are those of its documents.
bool areImpacts(PostingsReader &reader, size_t group, const std::vector<uint32_t> &lengths) {
  Impacts known;
  reader.forEachImpact(group, [&](uint32_t count, uint32_t length) { known.push_back({count, length}); });
  return known == impacts(reader.documents(), reader.counts(), reader.count(), lengths);
}

}  // namespace

std::vector<uint64_t> digests(Segment &segment) {
  std::vector<uint64_t> digests(segment.rowCount());
  uint64_t wordCount = 0, termCount = 0;
  std::vector<uint32_t> lengths(segment.rowCount());
  for (uint32_t document = 0; document < segment.rowCount(); document++) {
    lengths[document] = segment.length(document);
    digests[document] = mix(0, lengths[document]);
    wordCount += lengths[document];
  }
  TermWalk walk(segment);
  for (bool hasTerm = walk.begin(); hasTerm; hasTerm = walk.next()) {
    termCount++;
    const Key key = walk.key();
    const uint64_t start = hash(reinterpret_cast<const uint8_t *>(key.data()), key.size());
    const bool hasPositions = walk.hasPositions();
    PostingsReader reader = walk.postings();
    for (size_t group = 0; group < reader.groupCount(); group++) {
      reader.load(group);
      if (reader.hasImpacts() && !areImpacts(reader, group, lengths)) throw Damaged();
      for (size_t index = 0; index < reader.count(); index++) {
        const uint32_t count = reader.counts()[index];
        uint64_t digest = mix(start, count);
        if (hasPositions) {
          const uint32_t *const positions = reader.positions(index);
          for (uint32_t place = 0; place < count; place++) digest = mix(digest, positions[place]);
        }
        // The sum does not depend on the order of the terms.
        digests[reader.documents()[index]] += digest;
      }
    }
  }
  if (wordCount != segment.info().wordCount || termCount != segment.info().termCount) throw Damaged();
  return digests;
}

}  // namespace todana::text
