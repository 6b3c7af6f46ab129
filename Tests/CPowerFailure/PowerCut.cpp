#include "PowerCut.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace todana::simulation {

PowerCut::PowerCut(const RecordingDisk &disk, int sectorSize, bool makesGarbage)
    : sectorSize_(sectorSize), makesGarbage_(makesGarbage), durableNames_(disk.initialNames()) {
  for (const auto &[number, content] : disk.initialInodes()) {
    inodes_[number].durable = content;
    inodes_[number].cached = content;
  }
}

PowerCut::PowerCut(const FileSystem &initial, int sectorSize, bool makesGarbage)
    : sectorSize_(sectorSize), makesGarbage_(makesGarbage) {
  int number = 1;
  for (const auto &[name, content] : initial) {
    durableNames_[name] = number;
    inodes_[number].durable = content;
    inodes_[number++].cached = content;
  }
}

void PowerCut::addVersion(Inode &inode, int64_t sector) {
  const size_t start = std::min<size_t>(sector * sectorSize_, inode.cached.size());
  std::string version = inode.cached.substr(start, sectorSize_);
  version.resize(sectorSize_, 0);
  inode.pending[sector].push_back({position_, std::move(version)});
}

void PowerCut::flush(Inode &inode, size_t end) {
  size_t size = inode.durable.size();
  for (auto entry = inode.pending.begin(); entry != inode.pending.end();) {
    auto &[sector, versions] = *entry;
    const auto isLater = [end](const Version &version) { return version.position >= end; };
    const auto later = std::find_if(versions.begin(), versions.end(), isLater);
    if (later != versions.begin()) {
      const size_t start = sector * sectorSize_;
      if (inode.durable.size() < start + sectorSize_) inode.durable.resize(start + sectorSize_, 0);
      std::memcpy(&inode.durable[start], std::prev(later)->bytes.data(), sectorSize_);
      versions.erase(versions.begin(), later);
    }
    entry = versions.empty() ? inode.pending.erase(entry) : std::next(entry);
  }
  const auto isLater = [end](const Size &pending) { return pending.position >= end; };
  const auto later = std::find_if(inode.sizes.begin(), inode.sizes.end(), isLater);
  if (later != inode.sizes.begin()) size = std::prev(later)->byteCount;
  inode.sizes.erase(inode.sizes.begin(), later);
  inode.durable.resize(size, 0);
}

void PowerCut::flushNames(size_t end) {
  const auto isLater = [end](const PendingName &pending) { return pending.position >= end; };
  const auto later = std::find_if(pendingNames_.begin(), pendingNames_.end(), isLater);
  for (auto pending = pendingNames_.begin(); pending != later; ++pending) applyName(durableNames_, pending->operation);
  pendingNames_.erase(pendingNames_.begin(), later);
}

void PowerCut::apply(const Operation &operation) {
  using Kind = Operation::Kind;
  switch (operation.kind) {
    case Kind::write: {
      Inode &inode = inodes_[operation.inode];
      const int64_t end = operation.offset + static_cast<int64_t>(operation.bytes.size());
      if (operation.bytes.empty()) break;
      if (static_cast<int64_t>(inode.cached.size()) < end) {
        inode.cached.resize(end, 0);
        inode.sizes.push_back({position_, end});
      }
      std::memcpy(&inode.cached[operation.offset], operation.bytes.data(), operation.bytes.size());
      for (int64_t sector = operation.offset / sectorSize_; sector <= (end - 1) / sectorSize_; sector++) {
        addVersion(inode, sector);
      }
      break;
    }
    case Kind::resize: {
      Inode &inode = inodes_[operation.inode];
      const int64_t old = static_cast<int64_t>(inode.cached.size());
      inode.cached.resize(operation.offset, 0);
      inode.sizes.push_back({position_, operation.offset});
      for (int64_t sector = operation.offset / sectorSize_; sector * sectorSize_ < old; sector++) {
        addVersion(inode, sector);
      }
      break;
    }
    case Kind::flush:
      flush(inodes_[operation.inode], position_ - operation.offset);
      break;
    case Kind::create:
    case Kind::rename:
    case Kind::remove:
      pendingNames_.push_back({position_, operation});
      break;
    case Kind::flushAll:
      for (auto &[number, inode] : inodes_) flush(inode, position_ - operation.offset);
      [[fallthrough]];
    case Kind::flushDirectory:
      flushNames(position_ - operation.offset);
      break;
  }
  position_++;
}

void PowerCut::applyName(std::map<std::string, int> &names, const Operation &operation) {
  switch (operation.kind) {
    case Operation::Kind::create:
      names[operation.name] = operation.inode;
      break;
    case Operation::Kind::remove:
      names.erase(operation.name);
      break;
    default:
      names[operation.newName] = names[operation.name];
      names.erase(operation.name);
  }
}

FileSystem PowerCut::state(std::mt19937_64 &random, const Operation *last) const {
  // The unflushed writes that reach the disk. 0: none; 1: all; 2: a random subset; 3: all, but only a part of the last
  // one.
  const int mode = static_cast<int>(random() % 4);
  std::map<std::string, int> names = durableNames_;
  const size_t kept = mode == 0                ? 0
                      : mode == 1 || mode == 3 ? pendingNames_.size()
                                               : random() % (pendingNames_.size() + 1);
  for (size_t index = 0; index < kept; index++) applyName(names, pendingNames_[index].operation);
  const double keeps = (const double[]){0.05, 0.3, 0.5, 0.7, 0.95}[random() % 5];
  FileSystem result;
  for (const auto &[name, number] : names) {
    const auto found = inodes_.find(number);
    if (found == inodes_.end()) {
      result[name] = {};
      continue;
    }
    const Inode &inode = found->second;
    std::string content = contentOf(inode, mode, keeps, random);
    const bool isTorn = mode == 3 && last && last->kind == Operation::Kind::write && last->inode == number &&
                        !last->bytes.empty();
    if (isTorn) {
      // Only a part of the last write reaches the disk: the sectors before a random one, or the sectors from it on.
      const int64_t first = last->offset / sectorSize_;
      const int64_t end = (last->offset + static_cast<int64_t>(last->bytes.size()) - 1) / sectorSize_ + 1;
      const int64_t cut = first + static_cast<int64_t>(random() % (end - first + 1));
      const bool keepsFront = random() & 1;
      for (int64_t sector = keepsFront ? cut : first; sector < (keepsFront ? end : cut); sector++) {
        const std::vector<Version> &versions = inode.pending.at(sector);
        std::string old(sectorSize_, 0);
        if (versions.size() > 1) {
          old = versions[versions.size() - 2].bytes;
        } else if (sector * sectorSize_ < static_cast<int64_t>(inode.durable.size())) {
          old = inode.durable.substr(sector * sectorSize_, sectorSize_);
          old.resize(sectorSize_, 0);
        }
        const size_t start = sector * sectorSize_;
        if (start < content.size()) {
          std::memcpy(&content[start], old.data(), std::min<size_t>(sectorSize_, content.size() - start));
        }
      }
    }
    result[name] = std::move(content);
  }
  return result;
}

std::map<std::string, int> PowerCut::names() const {
  std::map<std::string, int> names = durableNames_;
  for (const PendingName &pending : pendingNames_) applyName(names, pending.operation);
  return names;
}

FileSystem PowerCut::killed() const {
  FileSystem result;
  for (const auto &[name, number] : names()) {
    const auto found = inodes_.find(number);
    result[name] = found == inodes_.end() ? std::string() : found->second.cached;
  }
  return result;
}

int PowerCut::nextInode() const {
  int next = inodes_.empty() ? 1 : inodes_.rbegin()->first + 1;
  for (const auto &[name, number] : names()) next = std::max(next, number + 1);
  return next;
}

std::string PowerCut::contentOf(const Inode &inode, int mode, double keeps, std::mt19937_64 &random) const {
  if (mode == 0) return inode.durable;
  if (mode == 1 || mode == 3) return inode.cached;
  int64_t size = static_cast<int64_t>(inode.durable.size());
  if (!inode.sizes.empty()) {
    const size_t choice = random() % 3 == 0 ? inode.sizes.size() : random() % (inode.sizes.size() + 1);
    if (choice > 0) size = inode.sizes[choice - 1].byteCount;
  }
  std::string content = inode.durable;
  content.resize(std::max<size_t>({content.size(), inode.cached.size(), static_cast<size_t>(size)}) + sectorSize_, 0);
  for (const auto &[sector, versions] : inode.pending) {
    const size_t start = sector * sectorSize_;
    if (content.size() < start + sectorSize_) content.resize(start + sectorSize_, 0);
    if ((random() % 1000) / 1000.0 < keeps) {
      const Version &version = random() % 4 ? versions.back() : versions[random() % versions.size()];
      std::memcpy(&content[start], version.bytes.data(), sectorSize_);
    } else if (makesGarbage_ && random() % 2) {
      for (int byte = 0; byte < sectorSize_; byte += 8) {
        const uint64_t garbage = random();
        std::memcpy(&content[start + byte], &garbage, 8);
      }
    }
  }
  content.resize(size, 0);
  return content;
}

}  // namespace todana::simulation
