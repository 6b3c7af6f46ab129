// Stock Kyoto Cabinet through C++: hash files, no transaction, no durability, no objects.
//
// What the library costs that Todana stands on, and so the measure of what Todana adds. Every function returns 0, or
// leaves a message in `failure` and returns -1.
#ifndef TODANA_CRAWKYOTO_H
#define TODANA_CRAWKYOTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Titles, one after the other; song i has the title i modulo title_count, and lasts i seconds, or a number of seconds
// that SplitMix64 makes of i.
typedef struct {
  uint32_t song_count;
  const char *bytes;           // UTF-8 of all titles
  const uint64_t *offsets;     // title_count + 1 of them
  size_t title_count;
  bool is_numbered;            // the song's number stands behind its title
  uint32_t seconds_bound;      // seconds are below it; 0: song i lasts i seconds
} raw_songs;

typedef struct {
  uint64_t count;
  uint64_t sum;                // over all bytes of titles and all seconds
} raw_checksum;

typedef struct {
  char message[256];
} raw_failure;

int raw_insert_songs(const char *directory, const raw_songs *songs, raw_failure *failure);
int raw_fetch_songs(const char *directory, raw_checksum *checksum, raw_failure *failure);
int raw_fetch_rows(
  const char *directory, const uint32_t *indexes, size_t index_count, raw_checksum *checksum, raw_failure *failure);

// With a tree of seconds and rows beside the songs.
int raw_insert_indexed_songs(const char *directory, const raw_songs *songs, raw_failure *failure);
// The songs of each of the seconds, by the tree.
int raw_fetch_by_seconds(
  const char *directory, const uint32_t *seconds, size_t seconds_count, raw_checksum *checksum, raw_failure *failure);
// The first songs of each range, from lower[i] to below upper[i], in the order of the tree; each song's bytes and
// seconds count times its position in the range, from 1.
int raw_fetch_ranges(
  const char *directory, const uint32_t *lower, const uint32_t *upper, size_t range_count, uint32_t limit,
  raw_checksum *checksum, raw_failure *failure);

int raw_insert_playlists(
  const char *directory, const raw_songs *songs, uint32_t songs_per_playlist, raw_failure *failure);
int raw_fetch_first_songs(const char *directory, raw_checksum *checksum, raw_failure *failure);
// Each song's bytes and seconds count times its position in the playlist, from 1.
int raw_fetch_playlists(const char *directory, raw_checksum *checksum, raw_failure *failure);
int raw_update_every_third(
  const char *directory, const char *title, size_t title_length, raw_failure *failure);
int raw_insert_buffers(
  const char *directory, uint32_t buffer_count, uint32_t numbers_per_buffer, raw_failure *failure);
int raw_fetch_buffers(
  const char *directory, uint32_t buffer_count, raw_checksum *checksum, raw_failure *failure);

// An open file of songs, changed one at a time; each change goes to the device before the call returns.
typedef struct raw_updater raw_updater;
raw_updater *raw_updater_open(const char *directory, raw_failure *failure);
int raw_updater_set(
  raw_updater *updater, uint32_t index, const char *title, size_t title_length, raw_failure *failure);
int raw_updater_close(raw_updater *updater, raw_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
