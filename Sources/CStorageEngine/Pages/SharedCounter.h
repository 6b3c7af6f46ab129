// A counter that a process shares with its children, in memory that they all map.
#pragma once

#include <atomic>
#include <cstdint>

namespace todana {

// Counts the events after which a child of the process may no longer read its copy of a file group: the main files
// change. GroupState owns it; Checkpointer and FileGroup increment it; `FileGroup::hasChangedSinceFork` compares it.
//
// Any thread. Without memory for it, a child reads nothing.
class SharedCounter {
 public:
  SharedCounter();
  ~SharedCounter();
  SharedCounter(const SharedCounter &) = delete;
  SharedCounter &operator=(const SharedCounter &) = delete;

  // Called before the event.
  void increment();
  // Tests whether another process, the parent of this one, has incremented the counter since the fork.
  bool isIncrementedElsewhere() const;

 private:
  std::atomic<uint64_t> *shared_;
  std::atomic<uint64_t> own_{0};  // the increments of this process, and of its ancestors before each fork
};

}  // namespace todana
