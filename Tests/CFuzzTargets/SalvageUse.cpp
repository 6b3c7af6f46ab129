#include <cstring>

#include "StoreUse.h"

#include "SampleStore.h"

namespace todana::fuzzing {

namespace {

struct Salvaged {
  int32_t kind = 0;
  uint64_t byteCount = 0;
  uint64_t recordCount = 0;
  uint64_t sum = 0;
};

uint64_t sumOf(const uint8_t *bytes, size_t count) {
  uint64_t sum = count;
  for (size_t index = 0; index < count; index++) sum = sum * 31 + bytes[index];
  return sum;
}

Salvaged &of(void *context) { return *static_cast<Salvaged *>(context); }

}  // namespace

void salvage(const std::string &path) {
  Salvaged salvaged;
  tdn_salvage_visitor visitor{};
  visitor.context = &salvaged;
  visitor.store = [](void *context, const tdn_salvage_store *store) { of(context).byteCount = store->byte_count; };
  visitor.loss = [](void *context, const char *sentence) { of(context).sum += std::strlen(sentence); };
  visitor.keyspace = [](void *context, const tdn_salvage_keyspace *keyspace) {
    if (keyspace->kind < 0 || keyspace->kind > TDN_KEYSPACE_TREE || keyspace->name_length == 0) {
      found("a keyspace that no store has is salvaged");
    }
    of(context).kind = keyspace->kind;
    of(context).sum += sumOf(keyspace->name, keyspace->name_length) + std::strlen(keyspace->file);
  };
  visitor.record = [](void *context, const tdn_salvage_record *record) {
    Salvaged &salvaged = of(context);
    if (record->value_length + record->key_length > salvaged.byteCount + (64 << 10)) found("a record is too long");
    // Reads every byte, as a visitor may. The sum decides whether to take the record: about one in eight is refused.
    const uint64_t sum = sumOf(record->value, record->value_length) +
                         (record->key ? sumOf(record->key, record->key_length) : record->row);
    salvaged.sum += sum;
    // At most a few records can begin at each place of a file.
    if (++salvaged.recordCount > 64 * (salvaged.byteCount + 4096)) found("salvaging does not end");
    return sum % 8 == 0 ? TDN_SALVAGE_REFUSE : TDN_SALVAGE_TAKE;
  };
  visitor.damage = [](void *context, const tdn_salvage_damage *damage) { of(context).sum += damage->byte_count; };
  visitor.progress = [](void *, uint64_t done, uint64_t total) {
    if (done > total) found("more is salvaged than there is");
    return true;
  };
  tdn_error error{};
  if (tdn_salvage(path.c_str(), nullptr, &visitor, &error)) return;
  if (error.code < TDN_IO || error.code > TDN_LAST_CODE || error.message[0] == 0) found("a failure says nothing");
}

}  // namespace todana::fuzzing
