#include "FileSet.h"

#include <utility>

#include "DataFile.h"

namespace todana {

std::shared_ptr<DataFile> FileSet::find(uint32_t number) {
  MutexLock lock(mutex_);
  const auto found = files_.find(number);
  return found == files_.end() ? nullptr : found->second;
}

std::shared_ptr<DataFile> FileSet::findOrOpen(
  uint32_t number, const std::function<std::shared_ptr<DataFile>()> &open) {
  MutexLock lock(mutex_);
  const auto found = files_.find(number);
  if (found != files_.end()) return found->second;
  return files_[number] = open();
}

void FileSet::add(const std::shared_ptr<DataFile> &file) {
  MutexLock lock(mutex_);
  files_[file->number()] = file;
  buildingNames_.erase(file->name());
}

void FileSet::remove(uint32_t number) {
  MutexLock lock(mutex_);
  files_.erase(number);
}

std::vector<std::shared_ptr<DataFile>> FileSet::all() {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<DataFile>> files;
  files.reserve(files_.size());
  for (const auto &[number, file] : files_) files.push_back(file);
  return files;
}

std::vector<std::shared_ptr<DataFile>> FileSet::repaired() {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<DataFile>> files;
  for (const auto &[number, file] : files_) {
    if (file->hasRepairs()) files.push_back(file);
  }
  return files;
}

bool FileSet::tryForEach(const std::function<void(const DataFile &)> &body) {
  if (!mutex_.tryLock()) return false;
  MutexLock lock(mutex_, std::adopt_lock);
  for (const auto &[number, file] : files_) body(*file);
  return true;
}

size_t FileSet::count() {
  MutexLock lock(mutex_);
  return files_.size();
}

void FileSet::closeIdle(uint64_t liveGeneration) {
  std::vector<std::shared_ptr<DataFile>> idle;  // closed after the mutex is unlocked
  MutexLock lock(mutex_);
  for (auto entry = files_.begin(); entry != files_.end();) {
    const std::shared_ptr<DataFile> &file = entry->second;
    if (file.use_count() == 1 && file->lastGeneration() < liveGeneration) {
      idle.push_back(std::move(entry->second));
      entry = files_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void FileSet::addBuilding(const std::string &name) {
  MutexLock lock(mutex_);
  buildingNames_.insert(name);
}

void FileSet::forgetBuilding(const std::string &name) {
  MutexLock lock(mutex_);
  buildingNames_.erase(name);
}

std::optional<int64_t> FileSet::committedEnd(const std::string &name) {
  MutexLock lock(mutex_);
  if (buildingNames_.count(name)) return std::nullopt;
  for (const auto &[number, file] : files_) {
    if (file->name() == name) return pageCeiling(file->committedSize());
  }
  return INT64_MAX;
}

}  // namespace todana
