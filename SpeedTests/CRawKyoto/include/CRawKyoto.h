// Stock Kyoto Cabinet through C++: hash files, no transaction, no durability, no objects.
//
// Todana is built on this library, so the difference is the cost that Todana adds. Every function returns 0, or
// writes a message to `failure` and returns -1.
#ifndef TODANA_CRAWKYOTO_H
#define TODANA_CRAWKYOTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Songs to insert. Song i has the title i modulo title_count. It lasts i seconds, or a pseudorandom number of seconds
// that SplitMix64 derives from i.
typedef struct {
  uint32_t song_count;
  const char *bytes;           // UTF-8 of all titles, concatenated
  const uint64_t *offsets;     // title_count + 1 offsets into bytes
  size_t title_count;
  bool is_numbered;            // true: the song's number follows its title
  uint32_t seconds_bound;      // exclusive upper bound of seconds; 0: song i lasts i seconds
} raw_songs;

typedef struct {
  uint64_t count;
  uint64_t sum;                // sum over all bytes of titles and all seconds
} raw_checksum;

typedef struct {
  char message[256];
} raw_failure;

int raw_insert_songs(const char *directory, const raw_songs *songs, raw_failure *failure);
int raw_fetch_songs(const char *directory, raw_checksum *checksum, raw_failure *failure);
int raw_fetch_rows(
  const char *directory, const uint32_t *indexes, size_t index_count, raw_checksum *checksum, raw_failure *failure);

// Inserts songs, and a tree with a key of seconds and row for each.
int raw_insert_indexed_songs(const char *directory, const raw_songs *songs, raw_failure *failure);
// Uses the tree to fetch the songs that last each of the given numbers of seconds.
int raw_fetch_by_seconds(
  const char *directory, const uint32_t *seconds, size_t seconds_count, raw_checksum *checksum, raw_failure *failure);
// Uses the tree to fetch the first songs of each range in order, at most `limit`. A range has the seconds from lower[i]
// up to but not including upper[i]. In the checksum, each song is weighted by its position in the range, from 1.
int raw_fetch_ranges(
  const char *directory, const uint32_t *lower, const uint32_t *upper, size_t range_count, uint32_t limit,
  raw_checksum *checksum, raw_failure *failure);

int raw_insert_playlists(
  const char *directory, const raw_songs *songs, uint32_t songs_per_playlist, raw_failure *failure);
int raw_fetch_first_songs(const char *directory, raw_checksum *checksum, raw_failure *failure);
// Fetches all playlists. In the checksum, each song is weighted by its position in its playlist, from 1.
int raw_fetch_playlists(const char *directory, raw_checksum *checksum, raw_failure *failure);
int raw_update_every_third(
  const char *directory, const char *title, size_t title_length, raw_failure *failure);
int raw_insert_buffers(
  const char *directory, uint32_t buffer_count, uint32_t numbers_per_buffer, raw_failure *failure);
int raw_fetch_buffers(
  const char *directory, uint32_t buffer_count, raw_checksum *checksum, raw_failure *failure);

// An open file of songs that are changed one at a time. Each change is flushed to disk before the call returns.
typedef struct raw_updater raw_updater;
raw_updater *raw_updater_open(const char *directory, raw_failure *failure);
int raw_updater_set(
  raw_updater *updater, uint32_t index, const char *title, size_t title_length, raw_failure *failure);
int raw_updater_close(raw_updater *updater, raw_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
