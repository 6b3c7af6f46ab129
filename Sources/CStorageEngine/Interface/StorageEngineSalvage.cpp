// The C function of StorageEngineSalvage.h.
#include "../include/StorageEngineSalvage.h"

#include <algorithm>
#include <cstring>

#include "../../CSealing/CSealingHandles.h"
#include "../Keyspaces/PlainRecord.h"
#include "../Kyoto/RowPack.h"
#include "../Salvage/RecordSieve.h"
#include "../Salvage/SalvageSource.h"
#include "ErrorBoundary.h"

using namespace todana;

namespace {

constexpr int64_t kProgressStep = 1 << 20;

class Salvage {
 public:
  Salvage(SalvageSource &source, const tdn_salvage_visitor &visitor)
      : source_(source), visitor_(visitor),
        sealer_(source.keyRing() ? std::make_unique<Sealer>(source.keyRing()) : nullptr) {}

  void run() {
    for (const SalvageSource::Keyspace &keyspace : source_.keyspaces()) {
      total_ += static_cast<uint64_t>(source_.open(keyspace)->size());
    }
    tdn_salvage_store store{};
    store.has_store_id = source_.storeID() != nullptr;
    if (store.has_store_id) std::memcpy(store.store_id, source_.storeID(), sizeof store.store_id);
    store.byte_count = total_;
    tds_key_ring ring{source_.keyRing()};
    if (ring.ring) store.key_ring = &ring;
    store.may_be_plain = source_.mayBePlain();
    visitor_.store(visitor_.context, &store);
    for (const std::string &loss : source_.losses()) visitor_.loss(visitor_.context, loss.c_str());
    for (const SalvageSource::Keyspace &keyspace : source_.keyspaces()) salvage(keyspace);
  }

 private:
  void salvage(const SalvageSource::Keyspace &keyspace) {
    tdn_salvage_keyspace visited{};
    visited.id = keyspace.id;
    visited.kind = keyspace.kind;
    visited.name = reinterpret_cast<const uint8_t *>(keyspace.name.data());
    visited.name_length = keyspace.name.size();
    visited.is_name_known = keyspace.isNameKnown;
    visited.next_row = keyspace.nextRow;
    visited.record_count = keyspace.recordCount.value_or(UINT64_MAX);
    visited.file = keyspace.fileName.c_str();
    visitor_.keyspace(visitor_.context, &visited);
    std::unique_ptr<SalvagedFile> file = source_.open(keyspace);
    const bool isTree = keyspace.kind == TDN_KEYSPACE_TREE;
    const bool hasRows = keyspace.kind == TDN_KEYSPACE_ROWS;
    RecordSieve sieve(*file, isTree ? 8 : 3, keyspace.recordStart);
    int64_t reported = 0;
    sieve.run(
      [&](std::string_view key, std::string_view valueStart, uint64_t valueLength) {
        if (isTree) return isNodeKey(key);
        if (hasRows) return mayBeRows(key, valueStart, valueLength);
        return mayBeRecord(valueStart, valueLength) || mayBeRows(key, valueStart, valueLength);
      },
      [&](const RecordSieve::Record &record) {
        if (isTree) return takeNode(*file, record, keyspace.id);
        if (keyspace.kind != TDN_KEYSPACE_KEYS && takeRows(*file, record)) return true;
        return !hasRows && take(*file, record, 0, record.key, record.value);
      },
      [&](const RecordSieve::Record &record) { report(record, hasRows); },
      [&](int64_t offset) {
        if (offset < reported + kProgressStep) return;
        reported = offset;
        reportProgress(static_cast<uint64_t>(offset));
      });
    done_ += static_cast<uint64_t>(file->size());
    reportProgress(0);
  }

  static bool mayBeRecord(std::string_view valueStart, uint64_t valueLength) {
    const uint8_t format = formatOf(valueStart);
    return valueLength >= kLeastPlain && (isPlainFormat(format) || isSealedFormat(format));
  }

  static bool mayBeRows(std::string_view key, std::string_view valueStart, uint64_t valueLength) {
    uint64_t number;
    if (RowKey::parse(key.data(), key.size(), &number)) return mayBeRecord(valueStart, valueLength);
    // `RowPack::open` reads only the pack's header and slots, which fit into the glance.
    static_assert(RecordSieve::kGlance >= RowPack::kHeaderSize + RowPack::kSlotSize * kPackCapacity);
    RowPack pack;
    return PackKey::parse(key.data(), key.size(), &number) && pack.open(valueStart.data(), valueLength);
  }

  static bool isNodeKey(std::string_view key) { return key[0] == 'L' || key[0] == 'I' || key == "@"; }

  void reportProgress(uint64_t more) {
    if (!visitor_.progress(visitor_.context, std::min(total_, done_ + more), total_)) giveUp();
  }

  [[noreturn]] static void giveUp() { throw Failure(TDN_INTERRUPTED, "salvaging was cancelled"); }

  bool take(
    SalvagedFile &file, const RecordSieve::Record &whole, uint64_t row, std::string_view key, std::string_view value,
    bool isAuthentic = false) {
    tdn_salvage_record record{};
    record.row = row;
    record.key = key.empty() ? nullptr : reinterpret_cast<const uint8_t *>(key.data());
    record.key_length = key.size();
    record.value = reinterpret_cast<const uint8_t *>(value.data());
    record.value_length = value.size();
    record.is_vouched_for = isAuthentic || file.isSound(whole.offset, whole.size);
    const tdn_salvage_answer answer = visitor_.record(visitor_.context, &record);
    if (answer == TDN_SALVAGE_STOP) giveUp();
    return answer == TDN_SALVAGE_TAKE;
  }

  // Takes a row, or the rows of a pack. If at least one row of a pack is taken, the others are reported as damaged.
  bool takeRows(SalvagedFile &file, const RecordSieve::Record &record) {
    uint64_t number;
    if (RowKey::parse(record.key.data(), record.key.size(), &number)) return take(file, record, number, {}, record.value);
    RowPack pack;
    if (!PackKey::parse(record.key.data(), record.key.size(), &number) ||
        !pack.open(record.value.data(), record.value.size())) {
      return false;
    }
    const uint64_t firstRow = number << kPackPower;
    uint32_t taken = 0;
    for (int index = 0; index < kPackCapacity; index++) {
      std::string_view bytes;
      if (!pack.contains(index) || !pack.row(index, bytes)) continue;
      if (take(file, record, firstRow + static_cast<uint64_t>(index), {}, bytes)) taken |= 1U << index;
    }
    if (taken == 0) return false;
    for (int index = 0; index < kPackCapacity; index++) {
      if (!pack.contains(index) || taken >> index & 1) continue;
      visitDamage(record, true, firstRow + static_cast<uint64_t>(index));
    }
    return true;
  }

  // Takes the records of a tree node. They have no checks of their own, so the node must be sealed, or its pages must
  // match their checksums.
  bool takeNode(SalvagedFile &file, const RecordSieve::Record &node, uint32_t keyspace) {
    std::string_view value = node.value;
    std::vector<uint8_t> plain;
    bool isSealed = false;
    if (sealer_) {
      plain.resize(value.size());
      const Sealer::Opened opened =
        sealer_->open({SealedKind::indexNode, keyspace, node.key}, node.value, plain.data());
      isSealed = opened.outcome == Sealer::Outcome::opened;
      // A plain node may begin with any byte, so a damaged sealed node may look like one.
      if (!isSealed && !source_.mayBePlain()) return false;
      if (isSealed) value = {reinterpret_cast<const char *>(plain.data()) + opened.offset, opened.count};
    }
    if (!isSealed && !file.isSound(node.offset, node.size)) return false;
    if (node.key[0] != 'L') return true;
    const char *position = value.data(), *end = position + value.size();
    uint64_t neighbour, keyLength, valueLength;
    for (int link = 0; link < 2 && position; link++) position = readVarnum(position, end, &neighbour);
    while (position && position < end) {
      position = readVarnum(position, end, &keyLength);
      if (position) position = readVarnum(position, end, &valueLength);
      if (!position || keyLength > static_cast<uint64_t>(end - position) ||
          valueLength > static_cast<uint64_t>(end - position) - keyLength) {
        return false;
      }
      take(file, node, 0, {position, keyLength}, {position + keyLength, valueLength}, isSealed);
      position += keyLength + valueLength;
    }
    return position;
  }

  void report(const RecordSieve::Record &record, bool hasRows) {
    uint64_t number;
    if (!hasRows || record.key.empty()) return visitDamage(record, false, 0);
    if (RowKey::parse(record.key.data(), record.key.size(), &number)) return visitDamage(record, true, number);
    RowPack pack;
    if (!PackKey::parse(record.key.data(), record.key.size(), &number) ||
        !pack.open(record.value.data(), record.value.size())) {
      return visitDamage(record, false, 0);
    }
    for (int index = 0; index < kPackCapacity; index++) {
      if (pack.contains(index)) visitDamage(record, true, (number << kPackPower) + static_cast<uint64_t>(index));
    }
  }

  void visitDamage(const RecordSieve::Record &record, bool hasRow, uint64_t row) {
    tdn_salvage_damage damage{};
    damage.has_row = hasRow;
    damage.row = row;
    damage.offset = static_cast<uint64_t>(record.offset);
    damage.byte_count = static_cast<uint64_t>(record.size);
    visitor_.damage(visitor_.context, &damage);
  }

  SalvageSource &source_;
  const tdn_salvage_visitor &visitor_;
  const std::unique_ptr<Sealer> sealer_;  // null in a plain store
  uint64_t total_ = 0, done_ = 0;
};

}  // namespace

bool tdn_salvage(
  const char *path, const tds_secret *secret, const tdn_salvage_visitor *visitor, tdn_error *error) {
  return catchErrors(error, [&] {
    SalvageSource source(path, secret);
    Salvage(source, *visitor).run();
  });
}
