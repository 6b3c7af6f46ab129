#include "CommitRing.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "Checksum.h"
#include "Failure.h"

namespace todana {

namespace {

constexpr char kMagic[] = "TDNCMT01";
constexpr int64_t kSlot = 32768;

struct Header {
  char magic[8];
  uint64_t commit;
  uint32_t count;
  uint32_t reserved;
  uint64_t checksum;
};
static_assert(sizeof(Header) == 32);

uint64_t slotChecksum(const char *slot, uint32_t count) {
  uint64_t entries = checksum(slot + sizeof(Header), 16 * static_cast<size_t>(count), 3);
  return checksum(slot, offsetof(Header, checksum), 3 ^ entries);
}

}  // namespace

bool CommitRing::load(Disk &disk) {
  std::unique_ptr<DiskFile> file = disk.open(kFileName, Disk::Mode::read);
  if (!file) return true;
  bool found = false, isEmpty = true;
  std::vector<char> slot(sizeof(Header) + 16 * kCapacity);
  for (int index = 0; index < 2; index++) {
    const size_t size = file->read(index * kSlot, slot.data(), slot.size());
    isEmpty = isEmpty && std::all_of(slot.begin(), slot.begin() + size, [](char byte) { return byte == 0; });
    Header header;
    if (size < sizeof header) continue;
    std::memcpy(&header, slot.data(), sizeof header);
    if (std::memcmp(header.magic, kMagic, 8) != 0 || header.count > kCapacity ||
        header.count > header.commit || header.commit > INT64_MAX ||
        size < sizeof header + 16 * static_cast<size_t>(header.count) ||
        header.checksum != slotChecksum(slot.data(), header.count) || (found && header.commit < newest_)) {
      continue;
    }
    found = true;
    newest_ = header.commit;
    newestSlot_ = index;
    ids_.clear();
    for (uint32_t entry = 0; entry < header.count; entry++) {
      BatchID id;
      std::memcpy(id.data(), slot.data() + sizeof header + 16 * static_cast<size_t>(entry), 16);
      ids_.push_back(id);
    }
  }
  return found || isEmpty;
}

void CommitRing::throwDamaged() {
  throw Failure(TDN_DAMAGED, "both copies of the last commits' list are damaged", kFileName);
}

void CommitRing::flush(Disk &disk) {
  if (std::unique_ptr<DiskFile> file = disk.open(kFileName, Disk::Mode::write)) file->flush();
}

void CommitRing::write(Disk &disk, uint64_t upTo) {
  std::vector<char> slot(sizeof(Header));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // Ids of commits after `upTo` stand in the log that goes on.
    const size_t later = std::min<uint64_t>(newest_ - upTo, ids_.size());
    const size_t count = ids_.size() - later;
    Header header{};
    std::memcpy(header.magic, kMagic, 8);
    header.commit = upTo;
    header.count = static_cast<uint32_t>(count);
    slot.resize(sizeof header + 16 * count);
    std::memcpy(slot.data(), &header, sizeof header);
    for (size_t index = 0; index < count; index++) {
      std::memcpy(slot.data() + sizeof header + 16 * index, ids_[index].data(), 16);
    }
    header.checksum = slotChecksum(slot.data(), header.count);
    std::memcpy(slot.data(), &header, sizeof header);
  }
  std::unique_ptr<DiskFile> file = disk.open(kFileName, Disk::Mode::write);
  const bool isNew = !file;
  if (isNew) file = disk.open(kFileName, Disk::Mode::create);
  const int next = 1 - newestSlot_;
  file->write(next * kSlot, slot.data(), slot.size());
  file->flush();
  if (isNew) disk.flushDirectory();
  newestSlot_ = next;
}

uint64_t CommitRing::newest() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return newest_;
}

void CommitRing::add(uint64_t commitNumber, const uint8_t id[16]) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (commitNumber <= newest_) return;  // a log that had been carried already, replayed
  newest_ = commitNumber;
  BatchID copy;
  std::memcpy(copy.data(), id, 16);
  ids_.push_back(copy);
  if (ids_.size() > kCapacity) ids_.pop_front();
}

std::optional<CommitRing::BatchID> CommitRing::batchID(uint64_t commitNumber) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (commitNumber > newest_ || newest_ - commitNumber >= ids_.size()) return std::nullopt;
  return ids_[ids_.size() - 1 - (newest_ - commitNumber)];
}

uint64_t CommitRing::find(const uint8_t id[16]) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t back = 0; back < ids_.size(); back++) {
    if (std::memcmp(ids_[ids_.size() - 1 - back].data(), id, 16) == 0) return newest_ - back;
  }
  return 0;
}

}  // namespace todana
