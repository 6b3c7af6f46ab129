// Definitions that the files of the C interface share.
#pragma once

#include <exception>
#include <stdexcept>

#include "Segment.h"
#include "include/CTextIndex.h"

namespace todana::text {

// Carries out a function, and returns its exception as a status.
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

// The documents of row ids; rows that the segment does not have are left out.
std::vector<uint32_t> documents(const RowTable &rows, const uint64_t *ids, size_t count);

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

}  // namespace todana::text

struct tdt_tables {
  std::shared_ptr<const todana::text::SegmentTables> tables;
};

struct tdt_page_cache {
  todana::text::PageCache cache;

  explicit tdt_page_cache(size_t byteCapacity) : cache(byteCapacity) {}
};

struct tdt_segment {
  todana::text::CallbackSource source;
  todana::text::Segment segment;

  tdt_segment(const tdt_tables &tables, todana::text::PageCache *cache, tdt_read_page read, void *context)
      : source(read, context), segment(tables.tables, source, cache) {}
};
