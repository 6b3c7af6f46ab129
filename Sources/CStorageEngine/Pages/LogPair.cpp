#include "LogPair.h"

#include <algorithm>
#include <utility>

#include "../Disk/PageSize.h"

namespace todana {

std::unique_ptr<LogWriter> LogPair::open(Disk &disk, const GroupSettings &settings, uint64_t generation) {
  const int64_t alignment = settings.strict ? kPageSize : settings.sectorSize;
  auto log = std::make_unique<LogWriter>(disk, generation, alignment, settings.strict);
  disk.flushDirectory();
  return log;
}

void LogPair::setCurrent(std::unique_ptr<LogWriter> log) {
  current_ = std::move(log);
  nextGeneration_++;
}

void LogPair::resume(std::unique_ptr<LogWriter> current, const Closed &closed) {
  current_ = std::move(current);
  nextGeneration_ = current_->generation() + 1;
  closed_ = closed;
}

void LogPair::close() {
  closed_ = {current_->generation(), current_->tail()};
  current_.reset();
}

std::vector<std::string> LogPair::forgetClosed() {
  std::vector<std::string> names;
  const auto isNeeded = [&](const Dropped &dropped) { return dropped.generation > closed_.generation; };
  const auto done = std::partition(dropped_.begin(), dropped_.end(), isNeeded);
  for (auto entry = done; entry != dropped_.end(); ++entry) names.push_back(std::move(entry->name));
  dropped_.erase(done, dropped_.end());
  closed_ = {};
  return names;
}

void LogPair::addDropped(const std::string &name) {
  dropped_.push_back({name, current_ ? current_->generation() : 0});
}

int64_t LogPair::byteCount() const {
  return tail() - kFirstFrame + (hasClosed() ? closed_.tail - kFirstFrame : 0);
}

uint64_t LogPair::oldestLive() const {
  if (hasClosed()) return closed_.generation;
  return current_ ? current_->generation() : UINT64_MAX;
}

}  // namespace todana
