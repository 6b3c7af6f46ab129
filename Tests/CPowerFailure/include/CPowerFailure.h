// Simulated power failures of the crash-safe layer. A workload is recorded. Then on-disk states that a power cut at any
// moment could have left are recovered and checked.
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
  POWER_FAILURE_MIGRATING = 2,  // encrypted, given new keys and decrypted, again and again
} power_failure_keys;

typedef struct {
  uint64_t seed;
  int32_t commit_count;      // of each session
  int32_t state_count;       // on-disk states to recover from, in all sessions
  int32_t session_count;     // each continues after a power failure of the previous session
  int32_t sector_size;       // the unit that the simulated device writes entirely or not at all
  bool strict;               // torn sectors may hold garbage, and the strict setting is on
  bool in_background;        // checkpoints start by themselves
  bool nested;               // the power fails during recovery, too
  int32_t keys;              // of a cabinet: a `power_failure_keys`
  // The flushes to leave out, to test that the simulation detects it: 1 the log's, 2 the main files', 3 the
  // directory's.
  int32_t sabotage;
  const char *directory;     // scratch; created and removed
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

// Runs a workload of files. Returns false if the workload itself failed, with the reason in `first_failure`.
bool power_failure_run(const power_failure_plan *plan, power_failure_result *result);

// Runs a workload of a cabinet: rows, keys and trees, whose files grow and are compacted during commits. Also checks
// copies of its files, as a backup makes them.
bool power_failure_run_cabinet(const power_failure_plan *plan, power_failure_result *result);

// Runs a workload of a series: `commit_count` backups, with prunings in between. After each power failure, every backup
// present must be sound and restore its files. Every acknowledged backup must be present unless pruned, and it must be
// possible to make another one. Ignores `session_count`, `strict`, `in_background` and `nested` of the plan.
bool power_failure_run_series(const power_failure_plan *plan, power_failure_result *result);

// Simulates a power failure while the checksum of a file's last page is written, after a later commit has cut off the
// page. The file has `page_count` pages, of which `cut_page` are left. Returns false if a page does not match its
// checksum afterwards.
bool power_failure_cut_during_checkpoint(
  const char *directory, int32_t sector_size, int64_t page_count, int64_t cut_page, power_failure_result *result);

// A replay of the operations of a process on the files of a directory. It makes states that a power cut at any moment
// could have left. The operations are read from a log (Tests/CFaults/include/CRecording.h).
typedef struct power_failure_replay power_failure_replay;

// Opens a log. `initial`: a copy of the directory from the start of the recording. `leaves_out_flushes`: ignores all
// flushes, to test that the simulation detects it. Returns null if a file cannot be read or is not such a log.
power_failure_replay *power_failure_replay_open(
  const char *log, const char *initial, int32_t sector_size, bool strict, bool leaves_out_flushes, uint64_t seed);
void power_failure_replay_close(power_failure_replay *replay);
int64_t power_failure_replay_count(const power_failure_replay *replay);
// Writes one of the states after `operations` operations to a directory. `operations` must not be lower than in the
// previous call. Returns false on failure.
bool power_failure_replay_lay(power_failure_replay *replay, int64_t operations, const char *directory);

#ifdef __cplusplus
}
#endif

#endif
