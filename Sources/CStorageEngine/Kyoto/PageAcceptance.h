// The decision whether a page with several wrong bits can be written as it is. This is possible if no wrong bit
// concerns the way to records: values have their own checks, which detect their damage.
#pragma once

#include <string>
#include <unordered_map>

#include "HashRecovery.h"

namespace todana {

// The examination of one page. Session makes it after damage has stopped a commit or a compaction. One thread, inside
// `apply`.
class PageAcceptance {
 public:
  // `page`: the damaged one.
  PageAcceptance(const HashFile &file, int64_t page) : file_(file), recovery_(file), first_(page * kPageSize) {}

  // Tests whether the page can be written as it is. Reads the headers of all records of the file. Inside
  // FileGroup::commit's `apply`.
  bool isAcceptable();

 private:
  struct Chain {
    uint64_t recordCount = 0;
    uint64_t linkCount = 0;
  };

  template <class Visit> bool forEachRecord(Visit visit);
  bool isOnPage(const HashBlock &block) const {
    return block.offset < first_ + kPageSize && block.offset + block.size > first_;
  }
  bool noteRows(const HashRecovery::Block &record);
  bool isDetectable(uint64_t row, std::string_view value) const;
  bool isDetectable(std::string_view key, std::string_view value) const;
  bool leadsTo(const HashRecovery::Block &record) const;
  int64_t bucket(const HashRecovery::Block &record) const {
    return file_.place(record.keyBytes.data(), record.keyBytes.size()).bucket;
  }

  const HashFile &file_;
  const HashRecovery recovery_;
  const int64_t first_;
  uint64_t recordCount_ = 0;
  uint64_t rowCount_ = 0;
  std::unordered_map<int64_t, Chain> chains_;  // those with a record on the page
};

}  // namespace todana
