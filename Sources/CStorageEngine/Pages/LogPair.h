// The two logs of a group: the current one, to which commits are appended, and a closed one, whose pages a checkpoint
// writes back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../Disk/Disk.h"
#include "../Log/LogWriter.h"
#include "GroupSettings.h"

namespace todana {

// The logs, at most one of each kind, and the names of dropped files that a log still needs.
//
// GroupState owns it; FileGroup and Checkpointer use it. One thread at a time, under the commit mutex; `open`: any
// thread.
class LogPair {
 public:
  // A log up to the end of its last commit.
  struct Closed {
    uint64_t generation = 0;  // 0: none
    int64_t tail = 0;
  };

  // Opens the log file of a generation, and makes its name durable. Any thread may call it, before the log becomes the
  // current one.
  static std::unique_ptr<LogWriter> open(Disk &disk, const GroupSettings &settings, uint64_t generation);

  // Returns the current log, or null.
  LogWriter *current() const { return current_.get(); }
  uint64_t nextGeneration() const { return nextGeneration_; }
  // Sets the generation of the next log, after those found when opening.
  void setNextGeneration(uint64_t generation) { nextGeneration_ = generation; }
  // Makes a started log of the next generation the current one.
  void setCurrent(std::unique_ptr<LogWriter> log);

  // Goes on with logs that could not be written back when the group was opened. `current`: the newest one. `closed`: the
  // one before it, or none.
  void resume(std::unique_ptr<LogWriter> current, const Closed &closed);

  bool hasClosed() const { return closed_.generation != 0; }
  const Closed &closed() const { return closed_; }
  // Closes the current log. There is none afterwards.
  void close();
  // Forgets the closed log after its pages were written back. Returns the dropped files that no log needs any more.
  std::vector<std::string> forgetClosed();
  // Notes a file that a commit in the current log has dropped.
  void addDropped(const std::string &name);
  void removeCurrent() { current_.reset(); }

  bool hasCommits() const { return current_ && current_->tail() > kFirstFrame; }
  // Returns the offset of the next commit.
  int64_t tail() const { return current_ ? current_->tail() : kFirstFrame; }
  // Returns the size of the commits in both logs.
  int64_t byteCount() const;
  // Returns the oldest generation with pages that are not in the main files yet; without logs, the largest number.
  uint64_t oldestLive() const;

 private:
  std::unique_ptr<LogWriter> current_;
  uint64_t nextGeneration_ = 1;
  Closed closed_;
  struct Dropped {
    std::string name;
    uint64_t generation;
  };
  std::vector<Dropped> dropped_;
};

}  // namespace todana
