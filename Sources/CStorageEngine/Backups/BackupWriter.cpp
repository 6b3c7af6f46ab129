#include "BackupWriter.h"

#include <algorithm>

#include "../Directory/StoreDirectory.h"
#include "../Directory/StoreKeys.h"
#include "../Disk/Failure.h"
#include "../Disk/FileNames.h"
#include "../Log/CommitRing.h"
#include "../Log/LogFormat.h"

namespace todana {

namespace {

constexpr size_t kLongestName = 255;

bool isPlain(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '.' || character == '_' || character == '-';
}

}  // namespace

BackupWriter::BackupWriter(const std::string &path) : target_(path, isFileName) {}

bool BackupWriter::isFileName(const std::string &name) {
  for (const char *known : {
         StoreDirectory::kSuperblockName, CommitRing::kFileName, logName(1), logName(2), StoreKeys::kName,
         StoreKeys::kCopyName, StoreKeys::kCopyMark}) {
    if (name == known) return true;
  }
  return fileNumberIn(name) && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), isPlain);
}

void BackupWriter::begin(const std::string &name) {
  endFile();
  if (!isFileName(name)) throw Failure(TDN_DAMAGED, "the backup contains a file that does not belong to a store", name);
  if (!names_.insert(name).second) throw Failure(TDN_DAMAGED, "the backup contains a file twice", name);
  file_ = target_.disk().open(name, Disk::Mode::create);
}

void BackupWriter::write(const void *bytes, size_t byteCount) {
  if (!file_) throw Failure(TDN_DAMAGED, "the backup contains bytes that belong to no file");
  file_->write(offset_, bytes, byteCount);
  offset_ += static_cast<int64_t>(byteCount);
}

void BackupWriter::finish() {
  endFile();
  StoreDirectory::readSuperblock(target_.disk());
  StoreKeys::markCopy(target_.disk());
  target_.finish();
}

void BackupWriter::endFile() {
  if (file_) file_->flush();
  file_.reset();
  offset_ = 0;
}

}  // namespace todana
