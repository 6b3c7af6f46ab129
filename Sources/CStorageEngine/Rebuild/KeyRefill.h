// How a file of byte keys, or of a tree's nodes, is filled anew.
#pragma once

#include "../Kyoto/NodeSeal.h"
#include "Refill.h"

namespace todana {

// Copies records as they are: those of byte keys, and the nodes of trees.
class KeyRefill : public Refill {
 public:
  KeyRefill(std::shared_ptr<const HashFile> from, const Structure &structure, RecordConversion *conversion)
      : Refill(std::move(from), structure, conversion), next_(from_->recordStart()) {}

  uint64_t recordCount() const override { return recordCount_; }
  uint64_t byteCount() const override { return byteCount_; }
  uint64_t taken() const override { return static_cast<uint64_t>(next_ - from_->recordStart()); }

  // Records that move while this goes on are changed ones, whether they were met before or not.
  bool take() override {
    StepLimit limit;
    for (HashBlock block; next_ < end_; next_ += block.size) {
      if (limit.isReached(bytes_.size())) return true;
      from_->readBlock(next_, block);
      if (!block.isFree) take(block);
    }
    return false;
  }

  size_t change(RebuildJournal changes) override {
    changed_ = std::move(changes);
    nextChanged_ = 0;
    return changed_.keys.size();
  }

  bool takeChanged() override {
    StepLimit limit;
    for (; nextChanged_ < changed_.keys.size(); nextChanged_++) {
      if (limit.isReached(bytes_.size())) return true;
      const std::string &key = changed_.keys[nextChanged_];
      HashBlock block;
      if (from_->find(key.data(), key.size(), block)) {
        take(block);
      } else {
        // Where it stands in the new file only its name tells.
        const bool hasName = conversion_ && structure_.hasNames();
        const std::string removed = hasName ? conversion_->keyOf(changed_.names[nextChanged_]) : key;
        records_.push_back({bytes_.size(), removed.size(), 0, false});
        bytes_.append(removed);
      }
    }
    return false;
  }

  void write(const HashFile &target, HashWriter &writer) override {
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

 private:
  struct Taken {
    size_t position;
    size_t keyLength;
    size_t valueLength;
    bool exists;
  };

  void note(const HashBlock &record) override {
    recordCount_++;
    byteCount_ += recordSize(record.keyLength, record.valueLength);
  }

  void put(std::string_view key, std::string_view value, const HashFile &target, HashWriter &writer) {
    RecordConversion::Named named;
    if (conversion_ && structure_.hasNames()) {
      named = conversion_->stored(structure_, key, value);
      key = named.key;
      value = named.record;
    } else if (conversion_) {
      value = NodeSeal(target).sealed(key, NodeSeal(*from_).opened(key, value, openedNode_), sealedNode_);
    }
    writer.put(key.data(), key.size(), target.place(key.data(), key.size()), value.data(), value.size());
  }

  void take(const HashBlock &block) {
    from_->verifyKey(block);
    from_->verifyValue(block);
    records_.push_back({bytes_.size(), block.keyLength, block.valueLength, true});
    bytes_.append(block.key, block.keyLength);
    bytes_.append(block.value, block.valueLength);
  }

  uint64_t recordCount_ = 0;
  uint64_t byteCount_ = 0;
  int64_t next_;
  RebuildJournal changed_;
  size_t nextChanged_ = 0;
  std::vector<Taken> records_;
  std::string bytes_;
  std::string openedNode_, sealedNode_;
};

}  // namespace todana
