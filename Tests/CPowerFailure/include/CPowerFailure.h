// Simulated power failures of the crash-safe layer: a recorded workload, and the on-disk states that cutting the power
// at any of its moments could have left.
#ifndef TODANA_CPOWERFAILURE_H
#define TODANA_CPOWERFAILURE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  POWER_FAILURE_NO_KEYS = 0,
  POWER_FAILURE_ENCRYPTED = 1,
  POWER_FAILURE_MIGRATING = 2,  // it is encrypted, given new keys and decrypted, again and again
} power_failure_keys;

typedef struct {
  uint64_t seed;
  int32_t commit_count;      // of each session
  int32_t state_count;       // on-disk states to recover from, of all sessions
  int32_t session_count;     // each one goes on with what a power failure left of the one before
  int32_t sector_size;       // what the simulated device writes wholly or not at all
  bool strict;               // torn sectors may hold garbage, and the strict setting is on
  bool in_background;        // checkpoints start by themselves
  bool nested;               // the power fails during recovery, too
  int32_t keys;              // of a cabinet: a `power_failure_keys`
  // Sabotage, to see that the simulation can fail: 1 leaves out flushes of the log, 2 of main files, 3 of the directory.
  int32_t sabotage;
  const char *directory;     // scratch; made and removed
} power_failure_plan;

typedef struct {
  int64_t states;            // recovered and compared
  int64_t nested_states;
  int64_t operations;        // recorded disk operations
  int64_t commits;
  int64_t direct_commits;
  int64_t checkpoints;
  int64_t cuts;
  int64_t compactions;
  int64_t growths;
  int64_t migrations;
  int64_t failures;
  char first_failure[600];
} power_failure_result;

// False where the workload itself failed: `first_failure` says how.
bool power_failure_run(const power_failure_plan *plan, power_failure_result *result);

// The same for a cabinet: rows, keys and trees, whose files grow and are compacted while commits go on; and for copies of
// its files as a backup makes them.
bool power_failure_run_cabinet(const power_failure_plan *plan, power_failure_result *result);

// The same for a series of backups, `commit_count` of them, with prunings in between: after each power failure every
// backup that is there is sound and gives what was backed up, every one that was acknowledged is there, and another one
// can be made. Of the plan, `session_count`, `strict`, `in_background` and `nested` are not looked at.
bool power_failure_run_series(const power_failure_plan *plan, power_failure_result *result);

// A power failure while the checksum of a file's last page is being written, which a later commit has cut off. The file
// has `page_count` pages, of which `cut_page` are left. False where a page does not match its checksum afterwards.
bool power_failure_cut_during_checkpoint(
  const char *directory, int32_t sector_size, int64_t page_count, int64_t cut_page, power_failure_result *result);

// What a process did to the files of a directory, by a log that it wrote (Tests/CFaults/include/CRecording.h), and the
// states that cutting the power at any moment could have left.
typedef struct power_failure_replay power_failure_replay;

// `initial`: a copy of the directory as it was when the recording began. `leaves_out_flushes`: to see that the simulation
// can fail. Null where something cannot be read, or is no such log.
power_failure_replay *power_failure_replay_open(
  const char *log, const char *initial, int32_t sector_size, bool strict, bool leaves_out_flushes, uint64_t seed);
void power_failure_replay_close(power_failure_replay *replay);
int64_t power_failure_replay_count(const power_failure_replay *replay);
// Makes a directory of one of the states after so many operations; no fewer than the last time. False where it cannot.
bool power_failure_replay_lay(power_failure_replay *replay, int64_t operations, const char *directory);

#ifdef __cplusplus
}
#endif

#endif
