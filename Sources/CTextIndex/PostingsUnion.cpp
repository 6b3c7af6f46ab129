#include "PostingsUnion.h"

#include <algorithm>

namespace todana::text {

void PostingsUnion::add(Segment &segment, const DictionaryCursor &cursor) {
  PostingsReader reader = segment.postings(cursor);
  documentCount_ += reader.documentCount();
  if (!keepsLists_ && reader.groupCount() == 1) {
    reader.load(0);
    few_.insert(few_.end(), reader.documents(), reader.documents() + reader.count());
  } else {
    readers_.push_back(std::move(reader));
  }
}

void PostingsUnion::finish() { std::sort(few_.begin(), few_.end()); }

void PostingsUnion::addTo(DocumentSet &set, uint32_t first) {
  const uint64_t end = uint64_t{first} + DocumentSet::kWindow;
  for (auto next = std::lower_bound(few_.begin(), few_.end(), first); next != few_.end() && *next < end; ++next) {
    set.add(*next - first);
  }
  for (PostingsReader &reader : readers_) {
    for (size_t group = reader.group(first); group < reader.groupCount(); group++) {
      reader.load(group);
      const uint32_t *const documents = reader.documents();
      const size_t count = reader.count();
      if (documents[0] >= end) break;
      // Only the first group and the last one of a window have documents of others.
      if (documents[0] >= first && documents[count - 1] < end) {
        for (size_t index = 0; index < count; index++) set.add(documents[index] - first);
        continue;
      }
      for (size_t index = 0; index < count; index++) {
        if (documents[index] >= first && documents[index] < end) set.add(documents[index] - first);
      }
    }
  }
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
