#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>

#include "Files.h"
#include "PowerCut.h"
#include "include/CPowerFailure.h"

using namespace todana::simulation;

namespace {

class LogReader {
 public:
  explicit LogReader(std::string log) : log_(std::move(log)) {}

  bool isAtEnd() const { return position_ == log_.size(); }

  Operation next() {
    Operation operation;
    operation.kind = static_cast<Operation::Kind>(number<uint8_t>());
    operation.inode = number<int32_t>();
    operation.offset = number<int64_t>();
    operation.name = bytes(number<uint32_t>());
    operation.newName = bytes(number<uint32_t>());
    operation.bytes = bytes(number<uint64_t>());
    return operation;
  }

 private:
  template <class Number>
  Number number() {
    Number result;
    const std::string found = bytes(sizeof result);
    std::memcpy(&result, found.data(), sizeof result);
    return result;
  }

  std::string bytes(size_t count) {
    require(count <= log_.size() - position_, "the log is cut short");
    position_ += count;
    return log_.substr(position_ - count, count);
  }

  const std::string log_;
  size_t position_ = 0;
};

}  // namespace

struct power_failure_replay {
  power_failure_replay(
    const char *log, const char *initial, int32_t sectorSize, bool strict, bool leavesOutFlushes, uint64_t seed)
      : power(readAll(initial), sectorSize, strict), random(seed) {
    LogReader reader(readFile(log));
    while (!reader.isAtEnd()) {
      operations.push_back(reader.next());
      // Replace the flush by one of no file. Removing it would shift the positions of later operations.
      if (leavesOutFlushes && operations.back().kind == Operation::Kind::flush) operations.back().inode = 0;
    }
  }

  std::vector<Operation> operations;
  PowerCut power;
  std::mt19937_64 random;
  size_t applied = 0;
};

power_failure_replay *power_failure_replay_open(
  const char *log, const char *initial, int32_t sector_size, bool strict, bool leaves_out_flushes, uint64_t seed) {
  try {
    return new power_failure_replay(log, initial, sector_size, strict, leaves_out_flushes, seed);
  } catch (const std::exception &) {
    return nullptr;
  }
}

void power_failure_replay_close(power_failure_replay *replay) { delete replay; }

int64_t power_failure_replay_count(const power_failure_replay *replay) {
  return static_cast<int64_t>(replay->operations.size());
}

bool power_failure_replay_lay(power_failure_replay *replay, int64_t operations, const char *directory) {
  const size_t end = static_cast<size_t>(operations);
  if (end < replay->applied || end > replay->operations.size()) return false;
  try {
    while (replay->applied < end) replay->power.apply(replay->operations[replay->applied++]);
    lay(directory, replay->power.state(replay->random, end > 0 ? &replay->operations[end - 1] : nullptr));
    return true;
  } catch (const std::exception &) {
    return false;
  }
}
