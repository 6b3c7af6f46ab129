// The search for the records of a data file, one after another, without the chains that lead to them.
//
// The caller decides which candidates are records, because each record has a check of its own. After a break in the
// sequence of records, every place at which one could start is tried.
#pragma once

#include <functional>
#include <string_view>

#include "SalvagedFile.h"

namespace todana {

// One search of one file. SalvageSource makes one for the catalog; the functions of StorageEngineSalvage make one for
// each keyspace. One thread, which also runs the callbacks; no lock.
class RecordSieve {
 public:
  struct Record {
    int64_t offset;
    int64_t size;
    std::string_view key;
    std::string_view value;
  };
  // Tests whether bytes may be a record, by its key and the first `kGlance` bytes of its value. It must be fast,
  // because most candidates are not records.
  static constexpr size_t kGlance = 128;
  using Glance = std::function<bool(std::string_view key, std::string_view valueStart, uint64_t valueLength)>;
  // Tests whether a candidate is a record. Called for each candidate.
  using Accept = std::function<bool(const Record &)>;
  // Reports a record that was not accepted; its key may be damaged, too. If the key is empty, reports a range without
  // records.
  using Damage = std::function<void(const Record &)>;
  // Called repeatedly with the current offset.
  using Progress = std::function<void(int64_t offset)>;

  RecordSieve(SalvagedFile &file, int alignmentPower, int64_t start)
      : file_(file), alignment_(int64_t{1} << alignmentPower), power_(alignmentPower), start_(start),
        searchBudget_(file.size() * 16 + (64 << 20)) {}

  void run(const Glance &glance, const Accept &accept, const Damage &damage, const Progress &progress);

 private:
  enum class Kind { none, free, record };
  struct Block {
    Kind kind = Kind::none;
    int64_t size = 0;
    // The lengths of a record's header, key and value; 0 for other kinds.
    int64_t headSize = 0;
    int64_t keyLength = 0;
    int64_t valueLength = 0;
  };

  Block parse(int64_t offset);
  Record load(int64_t offset, const Block &block);
  bool maySucceed(int64_t offset);
  int64_t search(int64_t offset, int64_t end, const Damage &damage);

  SalvagedFile &file_;
  const int64_t alignment_;
  const int power_;
  const int64_t start_;
  const Glance *glance_ = nullptr;
  const Accept *accept_ = nullptr;
  // The number of bytes that searches after a break may still read, so that forged lengths cannot make them endless.
  int64_t searchBudget_;
  int64_t accepted_ = -1;  // offset of the accepted record that the search has found
};

}  // namespace todana
