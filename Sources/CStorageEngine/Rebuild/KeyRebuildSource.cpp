#include "KeyRebuildSource.h"

#include "../Kyoto/NodeSeal.h"

namespace todana {

KeyRebuildSource::KeyRebuildSource(std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion)
    : RebuildSource(std::move(from), keyspace, conversion), next_(from_->recordStart()) {}

uint64_t KeyRebuildSource::taken() const {
  return static_cast<uint64_t>(next_ - from_->recordStart());
}

bool KeyRebuildSource::take() {
  StepLimit limit;
  for (HashBlock block; next_ < end_; next_ += block.size) {
    if (limit.isReached(bytes_.size())) return true;
    from_->readBlock(next_, block);
    if (!block.isFree) take(block);
  }
  return false;
}

size_t KeyRebuildSource::keep(RebuildJournal changes) {
  changed_ = std::move(changes);
  return changed_.keys.size();
}

void KeyRebuildSource::takeChange(size_t index) {
  const std::string &key = changed_.keys[index];
  HashBlock block;
  if (from_->find(key.data(), key.size(), block)) return take(block);
  // With other keys, the key in the new file is derived from the name.
  const bool hasName = conversion_ && keyspace_.hasNames();
  const std::string removed = hasName ? conversion_->keyOf(changed_.names[index]) : key;
  records_.push_back({bytes_.size(), removed.size(), 0, false});
  bytes_.append(removed);
}

void KeyRebuildSource::write(const HashFile &target, HashWriter &writer) {
  for (const Taken &record : records_) {
    const std::string_view key(bytes_.data() + record.position, record.keyLength);
    if (record.exists) {
      put(key, {key.data() + key.size(), record.valueLength}, target, writer);
    } else {
      writer.remove(key.data(), key.size(), target.place(key.data(), key.size()));
    }
  }
  records_.clear();
  bytes_.clear();
}

void KeyRebuildSource::note(const HashBlock &record) {
  recordCount_++;
  byteCount_ += recordSize(record.keyLength, record.valueLength);
}

void KeyRebuildSource::put(std::string_view key, std::string_view value, const HashFile &target, HashWriter &writer) {
  RecordConversion::Named named;
  if (conversion_ && keyspace_.hasNames()) {
    named = conversion_->stored(keyspace_, key, value);
    key = named.key;
    value = named.record;
  } else if (conversion_) {
    value = NodeSeal(target).sealed(key, NodeSeal(*from_).opened(key, value, openedNode_), sealedNode_);
  }
  writer.put(key.data(), key.size(), target.place(key.data(), key.size()), value.data(), value.size());
}

void KeyRebuildSource::take(const HashBlock &block) {
  from_->verifyKey(block);
  records_.push_back({bytes_.size(), block.keyLength, block.valueLength, true});
  bytes_.append(block.key, block.keyLength);
  from_->copyValue(block, bytes_);
}

}  // namespace todana
