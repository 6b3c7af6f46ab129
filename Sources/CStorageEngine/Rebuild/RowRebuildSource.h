// The source of a rebuild for rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../Kyoto/RowPackBuilder.h"
#include "RebuildSource.h"

namespace todana {

// The copying of rows into packs with their neighbours, in the order of their ids, whether or not they were packed
// before. RebuildSource::make makes it. Locks: see RebuildSource.
class RowRebuildSource : public RebuildSource {
 public:
  RowRebuildSource(std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion);

  uint64_t recordCount() const override;
  uint64_t byteCount() const override;
  void sortOut(bool isLast) override;

  uint64_t taken() const override;
  bool take() override;
  void write(const HashFile &target, HashWriter &writer) override;

 private:
  // The rows with consecutive ids that may share a pack.
  struct Group {
    uint64_t number;
    uint32_t singles;  // one bit for each row that had a record of its own
  };
  struct TakenGroup {
    uint64_t number;
    size_t firstRow;
    bool isChanged;
  };
  struct TakenRow {
    int index;
    size_t position;
    size_t length;
  };

  static constexpr size_t kFewestGroupsToMerge = 1 << 20;

  // Tests whether most rows will be packed.
  bool arePacked() const;
  void note(const HashBlock &record) override;
  size_t keep(RebuildJournal changes) override;
  void takeChange(size_t index) override;
  void noteRow(uint64_t row, size_t byteCount);
  void mergeGroups();
  // Takes the rows of a group. `singles`: one bit for each row that may have a record of its own.
  void takeGroup(uint64_t number, uint32_t singles, bool isChanged);
  void takeRow(int index, std::string_view bytes);
  void convert();
  std::string_view bytes(const TakenRow &row) const { return {bytes_.data() + row.position, row.length}; }
  void writeGroup(const TakenGroup &group, size_t endRow, const HashFile &target, HashWriter &writer);
  // Removes the group's records from the new file, except those that will be overwritten.
  void clearGroup(
    const TakenGroup &group, size_t endRow, uint32_t packed, const HashFile &target, HashWriter &writer);

  static bool find(const HashFile &target, const char *key, size_t length, HashBlock &record);
  static void remove(
    const HashFile &target, const char *key, size_t length, const HashBlock &record, HashWriter &writer);

  std::vector<Group> groups_;
  size_t mergeSize_ = kFewestGroupsToMerge;
  uint64_t rowCount_ = 0;
  uint64_t rowBytes_ = 0;
  uint64_t unpackedBytes_ = 0;  // the size if no row were packed
  size_t next_ = 0;
  std::vector<uint64_t> changed_;
  std::vector<TakenGroup> taken_;
  std::vector<TakenRow> rows_;
  RowPackBuilder builder_;
};

}  // namespace todana
