#include "PostingsUnion.h"

#include <algorithm>

namespace todana::text {

void PostingsUnion::add(Segment &segment, const DictionaryCursor &cursor) {
  PostingsReader reader = segment.postings(cursor);
  documentCount_ += reader.documentCount();
  if (!keepsLists_ && reader.groupCount() == 1) {
    reader.load(0);
    for (size_t index = 0; index < reader.count(); index++) {
      few_.push_back({reader.documents()[index], reader.counts()[index]});
    }
  } else {
    readers_.push_back(std::move(reader));
  }
}

void PostingsUnion::finish() {
  std::sort(few_.begin(), few_.end(), [](const Place &one, const Place &other) {
    return one.document < other.document;
  });
}

void PostingsUnion::appendPositions(uint32_t document, std::vector<uint32_t> &positions) {
  for (PostingsReader &reader : readers_) {
    const size_t group = reader.group(document);
    if (group == reader.groupCount()) continue;
    reader.load(group);
    const uint32_t *const documents = reader.documents();
    const uint32_t *const found = std::lower_bound(documents, documents + reader.count(), document);
    if (found == documents + reader.count() || *found != document) continue;
    const size_t index = static_cast<size_t>(found - documents);
    const uint32_t *const places = reader.positions(index);
    positions.insert(positions.end(), places, places + reader.counts()[index]);
  }
}

}  // namespace todana::text
