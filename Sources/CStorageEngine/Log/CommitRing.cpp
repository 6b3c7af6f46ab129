#include "CommitRing.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Disk/BitRepair.h"

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

constexpr size_t kSlotLength = sizeof(Header) + 16 * CommitRing::kCapacity;

uint64_t slotChecksum(const char *slot, uint32_t count) {
  uint64_t entries = checksum(slot + sizeof(Header), 16 * static_cast<size_t>(count), 3);
  return checksum(slot, offsetof(Header, checksum), 3 ^ entries);
}

bool isSoundSlot(const char *slot, size_t size) {
  Header header;
  if (size < sizeof header) return false;
  std::memcpy(&header, slot, sizeof header);
  return std::memcmp(header.magic, kMagic, 8) == 0 && header.count <= CommitRing::kCapacity &&
         header.count <= header.commit && header.commit <= INT64_MAX &&
         size >= sizeof header + 16 * static_cast<size_t>(header.count) &&
         header.checksum == slotChecksum(slot, header.count);
}

// Returns the length of the part of a slot that may contain nonzero bytes.
size_t usedLength(DiskFile &file, int index) {
  std::vector<char> slot(kSlotLength);
  const size_t size = file.read(index * kSlot, slot.data(), slot.size());
  if (isZero(slot.data(), size)) return 0;
  if (!isSoundSlot(slot.data(), size)) return size;
  Header header;
  std::memcpy(&header, slot.data(), sizeof header);
  return sizeof header + 16 * static_cast<size_t>(header.count);
}

// Overwrites a slot, with all remains of its old content.
void writeSlot(DiskFile &file, int index, std::vector<char> content) {
  content.resize(std::max(content.size(), usedLength(file, index)));
  file.write(index * kSlot, content.data(), content.size());
}

bool contains(DiskFile &file, int index, const std::vector<char> &content) {
  std::vector<char> slot(content.size());
  const size_t size = file.read(index * kSlot, slot.data(), slot.size());
  return size == slot.size() && slot == content && usedLength(file, index) == content.size();
}

}  // namespace

CommitRing::Outcome CommitRing::load(Disk &disk, bool repairsBits) {
  MutexLock lock(mutex_);
  std::unique_ptr<DiskFile> file = disk.open(kFileName, Disk::Mode::read);
  if (!file) return Outcome::missing;
  bool found = false;
  std::vector<char> slot(kSlotLength);
  for (int index = 0; index < 2; index++) {
    const size_t size = file->read(index * kSlot, slot.data(), slot.size());
    const auto isSound = [&] { return isSoundSlot(slot.data(), size); };
    // Repair the slot even if the other one is valid. If this slot is the newer one, the files no longer have the state
    // in the other slot.
    if (!isSound() && !(repairsBits && repairBit(slot.data(), size, isSound))) continue;
    Header header;
    std::memcpy(&header, slot.data(), sizeof header);
    if (found && header.commit < newest_) continue;
    found = true;
    newest_ = header.commit;
    written_ = header.commit;
    newestSlot_ = index;
    ids_.clear();
    for (uint32_t entry = 0; entry < header.count; entry++) {
      BatchID id;
      std::memcpy(id.data(), slot.data() + sizeof header + 16 * static_cast<size_t>(entry), 16);
      ids_.push_back(id);
    }
  }
  return found ? Outcome::found : Outcome::damaged;
}

bool CommitRing::areSlotsSound(Disk &disk) {
  std::unique_ptr<DiskFile> file = disk.open(kFileName, Disk::Mode::read);
  if (!file) return true;
  std::vector<char> slot(kSlot);
  for (int index = 0; index < 2; index++) {
    const size_t size = file->read(index * kSlot, slot.data(), slot.size());
    if (!isSoundSlot(slot.data(), size)) return false;
    Header header;
    std::memcpy(&header, slot.data(), sizeof header);
    const size_t end = sizeof header + 16 * static_cast<size_t>(header.count);
    if (!isZero(slot.data() + end, size - end)) return false;
  }
  return true;
}

void CommitRing::flush(Disk &disk) {
  if (std::unique_ptr<DiskFile> file = disk.open(kFileName, Disk::Mode::write)) file->flush();
}

// Returns a slot with the state as of commit `upTo`, without the zeros that fill it.
std::vector<char> CommitRing::slot(uint64_t upTo) const {
  MutexLock lock(mutex_);
  // The ids of commits after `upTo` are in the current log.
  const size_t later = std::min<uint64_t>(newest_ - upTo, ids_.size());
  const size_t count = ids_.size() - later;
  Header header{};
  std::memcpy(header.magic, kMagic, 8);
  header.commit = upTo;
  header.count = static_cast<uint32_t>(count);
  std::vector<char> slot(sizeof header + 16 * count);
  std::memcpy(slot.data(), &header, sizeof header);
  for (size_t index = 0; index < count; index++) {
    std::memcpy(slot.data() + sizeof header + 16 * index, ids_[index].data(), 16);
  }
  header.checksum = slotChecksum(slot.data(), header.count);
  std::memcpy(slot.data(), &header, sizeof header);
  return slot;
}

void CommitRing::write(Disk &disk, uint64_t upTo) {
  const std::vector<char> content = slot(upTo);
  std::unique_ptr<DiskFile> file = disk.open(kFileName, Disk::Mode::write);
  const bool isNew = !file;
  if (isNew) file = disk.open(kFileName, Disk::Mode::create);
  const int next = 1 - newestSlot_;
  writeSlot(*file, next, content);
  // The log still has the first commit, so both slots may be written at once.
  if (isNew) writeSlot(*file, 1 - next, content);
  file->flush();
  if (isNew) disk.flushDirectory();
  newestSlot_ = next;
  written_ = upTo;
}

void CommitRing::copy(Disk &disk) {
  std::unique_ptr<DiskFile> file = disk.open(kFileName, Disk::Mode::write);
  if (!file) return;
  const std::vector<char> content = slot(written_);
  const int other = 1 - newestSlot_;
  if (contains(*file, other, content)) return;
  writeSlot(*file, other, content);
  file->flush();
}

uint64_t CommitRing::newest() const {
  MutexLock lock(mutex_);
  return newest_;
}

void CommitRing::add(uint64_t commitNumber, const uint8_t id[16]) {
  MutexLock lock(mutex_);
  if (commitNumber <= newest_) return;  // from a log that was already written back
  newest_ = commitNumber;
  BatchID copy;
  std::memcpy(copy.data(), id, 16);
  ids_.push_back(copy);
  if (ids_.size() > kCapacity) ids_.pop_front();
}

std::optional<CommitRing::BatchID> CommitRing::batchID(uint64_t commitNumber) const {
  MutexLock lock(mutex_);
  if (commitNumber > newest_ || newest_ - commitNumber >= ids_.size()) return std::nullopt;
  return ids_[ids_.size() - 1 - (newest_ - commitNumber)];
}

uint64_t CommitRing::find(const uint8_t id[16]) const {
  MutexLock lock(mutex_);
  for (size_t back = 0; back < ids_.size(); back++) {
    if (std::memcmp(ids_[ids_.size() - 1 - back].data(), id, 16) == 0) return newest_ - back;
  }
  return 0;
}

}  // namespace todana
