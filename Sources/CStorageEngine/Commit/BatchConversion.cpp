#include "BatchConversion.h"

#include <optional>

#include "../Disk/Failure.h"

namespace todana {

void convertRecords(
  Batch &batch, const BatchRun &run, const Keyspace &keyspace, const std::shared_ptr<const KeyRing> &ring,
  uint32_t keyGeneration) {
  std::optional<RecordConversion> conversion;
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch.change(index);
    if (change.kind != TDN_PUT) continue;
    const std::string_view record(batch.value(change), change.value_length);
    if (RecordConversion::hasForm(record, keyGeneration) || !RecordConversion::isRecord(record)) continue;
    if (!conversion) conversion.emplace(ring, keyGeneration);
    try {
      batch.replaceValue(
        index, keyspace.hasRows() ? conversion->row(keyspace, change.key, record)
                                  : conversion->named(keyspace, batch.key(change), record));
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED && failure.code != TDN_UNKNOWN_EPOCH) throw;
    }
  }
}

}  // namespace todana
