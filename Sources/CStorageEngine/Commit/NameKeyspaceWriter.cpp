#include "NameKeyspaceWriter.h"

#include "../Kyoto/HashGroup.h"

namespace todana {

void NameKeyspaceWriter::checkChanges(const HashFile &file) {
  for (size_t index = run_.first; index < run_.end; index++) {
    ChangeKey key(batch_, ring(), keyspace(), batch_.change(index));
    HashBlock record;
    const bool exists = file.find(key.data(), key.length(), record);
    expectations_.check(index, exists, {record.value, record.valueLength});
  }
}

void NameKeyspaceWriter::toggle(KeyspaceDigest &digest, const tdn_change &change, uint64_t token) const {
  digest.toggleKey(StorageKey(ring(), digest.keyGeneration(), keyspace(), name(change)).view(), token);
}

void NameKeyspaceWriter::writeRecords(RecordsChange &records, uint64_t) {
  HashGroup group(records.file());
  for (size_t first = run_.first; first < run_.end; first += kHashGroupSize) {
    const size_t count = std::min(kHashGroupSize, run_.end - first);
    for (size_t member = 0; member < count; member++) {
      ChangeKey key(batch_, ring(), keyspace(), batch_.change(first + member));
      group.add(member, key.data(), key.length());
    }
    group.fetch(count);
    for (size_t member = 0; member < count; member++) {
      const tdn_change &change = batch_.change(first + member);
      ChangeKey key(batch_, ring(), keyspace(), change);
      RecordsChange::Found found = records.find(key.view(), group.place(member));
      if (change.kind == TDN_REMOVE) {
        records.remove(key.view(), group.place(member), found);
      } else {
        records.put(key.view(), group.place(member), found, {batch_.value(change), change.value_length});
      }
      if (RebuildJournal *journal = keyspace().journal) journal->names.emplace_back(name(change));
    }
  }
}

}  // namespace todana
