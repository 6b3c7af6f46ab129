#include "CRawKyoto.h"

#include <kchashdb.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using kyotocabinet::DB;
using kyotocabinet::HashDB;
using kyotocabinet::TreeDB;

namespace {

constexpr int64_t map_byte_count = 4LL << 30;
constexpr int64_t fewest_buckets = 1 << 10;
// Bytes around the content, as in Todana's records: two before it, eight after it.
constexpr size_t head_byte_count = 2;
constexpr size_t check_byte_count = 8;

// An error with a message for the caller; `guarded` catches it.
struct Failure {
  std::string message;
};

template <class Database>
[[noreturn]] void fail(const Database &db, const char *what) {
  throw Failure{std::string(what) + ": " + db.error().message()};
}

template <class Body>
int guarded(raw_failure *failure, Body body) {
  std::string message;
  try {
    body();
    return 0;
  } catch (const Failure &error) {
    message = error.message;
  } catch (const std::exception &error) {
    message = error.what();
  }
  std::snprintf(failure->message, sizeof failure->message, "%s", message.c_str());
  return -1;
}

std::string path_of(const char *directory, const char *file) { return std::string(directory) + "/" + file; }

void create(HashDB &db, const std::string &path, int64_t record_count) {
  db.tune_buckets(std::max(fewest_buckets, 2 * record_count));
  db.tune_map(map_byte_count);
  if (!db.open(path, HashDB::OWRITER | HashDB::OCREATE | HashDB::OTRUNCATE)) fail(db, "create");
}

void open_existing(HashDB &db, const std::string &path, bool writing) {
  db.tune_map(map_byte_count);
  if (!db.open(path, writing ? HashDB::OWRITER : HashDB::OREADER)) fail(db, "open");
}

template <class Database>
void close(Database &db) {
  if (!db.close()) fail(db, "close");
}

// Encodes records, one after the other, into a single buffer.
class Encoder {
 public:
  void begin() {
    bytes_.clear();
    bytes_.append("\1\1", head_byte_count);
  }
  void put_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void put_string(const char *text, size_t length) {
    put_varint(length);
    bytes_.append(text, length);
  }
  void put_u32(uint32_t value) {
    char raw[4];
    std::memcpy(raw, &value, sizeof raw);
    bytes_.append(raw, sizeof raw);
  }
  const std::string &end(uint32_t row) {
    uint64_t check = (row + 1) * 0x9E3779B97F4A7C15ULL;
    char raw[check_byte_count];
    std::memcpy(raw, &check, sizeof raw);
    bytes_.append(raw, sizeof raw);
    return bytes_;
  }

 private:
  std::string bytes_;
};

// Decodes a record; never reads past its end.
class Decoder {
 public:
  Decoder(const char *bytes, size_t length) : at_(bytes + head_byte_count), end_(bytes + length - check_byte_count) {
    if (length < head_byte_count + check_byte_count) throw Failure{"a record is too short"};
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      need(1);
      const auto byte = static_cast<uint8_t>(*at_++);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    throw Failure{"a record has a bad length"};
  }
  // Reads a string and returns the sum of its bytes.
  uint64_t string_sum() {
    const size_t length = varint();
    need(length);
    uint64_t sum = 0;
    for (const char *stop = at_ + length; at_ < stop; at_++) sum += static_cast<uint8_t>(*at_);
    return sum;
  }
  uint32_t u32() {
    need(4);
    uint32_t value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

 private:
  void need(size_t length) {
    if (static_cast<size_t>(end_ - at_) < length) throw Failure{"a record is too short"};
  }
  const char *at_;
  const char *end_;
};

uint64_t song_sum(const char *bytes, size_t length) {
  Decoder decoder(bytes, length);
  const uint64_t sum = decoder.string_sum();
  return sum + decoder.u32();
}

void put(HashDB &db, uint32_t row, const std::string &bytes) {
  if (!db.set(reinterpret_cast<const char *>(&row), sizeof row, bytes.data(), bytes.size())) fail(db, "set");
}

// Returns the row of a song. Rows start at 1, as in Todana.
uint32_t row_of(uint32_t index) { return index + 1; }

uint32_t seconds_of(const raw_songs &songs, uint32_t index) {
  if (songs.seconds_bound == 0) return index;
  uint64_t z = index + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<uint32_t>((z ^ (z >> 31)) % songs.seconds_bound);
}

void insert_songs(HashDB &db, const raw_songs &songs) {
  Encoder encoder;
  char numbered[512];
  for (uint32_t i = 0; i < songs.song_count; i++) {
    const size_t t = i % songs.title_count;
    const char *title = songs.bytes + songs.offsets[t];
    size_t length = songs.offsets[t + 1] - songs.offsets[t];
    if (songs.is_numbered) {
      length = std::snprintf(numbered, sizeof numbered, "%.*s %u", static_cast<int>(length), title, i);
      title = numbered;
    }
    encoder.begin();
    encoder.put_string(title, length);
    encoder.put_u32(seconds_of(songs, i));
    put(db, row_of(i), encoder.end(row_of(i)));
  }
}

// Calls a function with the bytes of every record. An exception is rethrown after Kyoto Cabinet's loop has ended.
template <class Body>
void for_each(HashDB &db, Body body) {
  struct Visitor : DB::Visitor {
    explicit Visitor(Body &body) : body(body) {}
    const char *visit_full(const char *key, size_t, const char *value, size_t length, size_t *) override {
      if (error) return NOP;
      try {
        body(key, value, length);
      } catch (...) {
        error = std::current_exception();
      }
      return NOP;
    }
    Body &body;
    std::exception_ptr error;
  } visitor(body);
  if (!db.iterate(&visitor, false)) fail(db, "iterate");
  if (visitor.error) std::rethrow_exception(visitor.error);
}

// Calls a function with the bytes of one record. Small records take no allocation.
template <class Body>
void with_record(HashDB &db, const char *key, size_t key_length, Body body) {
  char small[256];
  const int32_t length = db.get(key, key_length, small, sizeof small);
  if (length < 0) fail(db, "get");
  if (static_cast<size_t>(length) < sizeof small) return body(small, static_cast<size_t>(length));
  size_t whole_length = 0;
  std::unique_ptr<char[]> whole(db.get(key, key_length, &whole_length));
  if (!whole) fail(db, "get");
  body(whole.get(), whole_length);
}

template <class Body>
void with_row(HashDB &db, uint32_t row, Body body) {
  with_record(db, reinterpret_cast<const char *>(&row), sizeof row, body);
}

// The key of a song in the tree: the seconds, then the row, both big-endian.
struct SecondsKey {
  SecondsKey(uint32_t seconds, uint32_t row) {
    const uint32_t parts[] = {__builtin_bswap32(seconds), __builtin_bswap32(row)};
    std::memcpy(bytes, parts, sizeof bytes);
  }
  char bytes[8];
};

uint32_t part_of(const char *key, size_t part) {
  uint32_t value;
  std::memcpy(&value, key + part * sizeof value, sizeof value);
  return __builtin_bswap32(value);
}

constexpr int64_t page_cache_byte_count = 1LL << 30;

void open_tree(TreeDB &db, const std::string &path, uint32_t mode) {
  db.tune_map(map_byte_count);
  db.tune_page_cache(page_cache_byte_count);
  if (!db.open(path, mode)) fail(db, "open");
}

// Inserts keys in their order, which takes a fifth of the time that the order of rows takes.
void insert_keys(TreeDB &db, const raw_songs &songs) {
  std::vector<uint64_t> keys(songs.song_count);
  for (uint32_t i = 0; i < songs.song_count; i++) {
    keys[i] = static_cast<uint64_t>(seconds_of(songs, i)) << 32 | row_of(i);
  }
  std::sort(keys.begin(), keys.end());
  for (const uint64_t both : keys) {
    const SecondsKey key(static_cast<uint32_t>(both >> 32), static_cast<uint32_t>(both));
    if (!db.set(key.bytes, sizeof key.bytes, "", 0)) fail(db, "set");
  }
}

// Calls a function with the row of each entry with seconds in lower..<upper, in order, until it returns false.
template <class Body>
void for_each_key(TreeDB &db, TreeDB::Cursor &cursor, uint32_t lower, uint32_t upper, Body body) {
  struct Visitor : DB::Visitor {
    const char *visit_full(const char *key, size_t length, const char *, size_t, size_t *) override {
      is_whole = length == sizeof(SecondsKey);
      if (is_whole) {
        seconds = part_of(key, 0);
        row = part_of(key, 1);
      }
      return NOP;
    }
    bool is_whole = false;
    uint32_t seconds = 0;
    uint32_t row = 0;
  } visitor;
  const SecondsKey first(lower, 0);
  if (!cursor.jump(first.bytes, sizeof first.bytes)) return;
  while (cursor.accept(&visitor, false, true)) {
    if (!visitor.is_whole) throw Failure{"a key of the tree has a bad length"};
    if (visitor.seconds >= upper || !body(visitor.row)) return;
  }
  if (db.error() != kyotocabinet::BasicDB::Error::NOREC) fail(db, "read");
}

const char *const songs_file = "songs.kch";
const char *const seconds_file = "seconds.kct";
const char *const playlists_file = "playlists.kch";
const char *const buffers_file = "buffers.kch";

}  // namespace

struct raw_updater {
  HashDB db;
  Encoder encoder;
};

int raw_insert_songs(const char *directory, const raw_songs *songs, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    create(db, path_of(directory, songs_file), songs->song_count);
    insert_songs(db, *songs);
    close(db);
  });
}

int raw_fetch_songs(const char *directory, raw_checksum *checksum, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    open_existing(db, path_of(directory, songs_file), false);
    raw_checksum found{};
    for_each(db, [&](const char *, const char *value, size_t length) {
      found.count++;
      found.sum += song_sum(value, length);
    });
    close(db);
    *checksum = found;
  });
}

int raw_fetch_rows(
    const char *directory, const uint32_t *indexes, size_t index_count, raw_checksum *checksum, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    open_existing(db, path_of(directory, songs_file), false);
    raw_checksum found{};
    for (size_t i = 0; i < index_count; i++) {
      with_row(db, row_of(indexes[i]), [&](const char *value, size_t length) {
        found.count++;
        found.sum += song_sum(value, length);
      });
    }
    close(db);
    *checksum = found;
  });
}

int raw_insert_indexed_songs(const char *directory, const raw_songs *songs, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    create(db, path_of(directory, songs_file), songs->song_count);
    insert_songs(db, *songs);
    close(db);
    TreeDB tree;
    open_tree(tree, path_of(directory, seconds_file), TreeDB::OWRITER | TreeDB::OCREATE | TreeDB::OTRUNCATE);
    insert_keys(tree, *songs);
    close(tree);
  });
}

int raw_fetch_by_seconds(
    const char *directory, const uint32_t *seconds, size_t seconds_count, raw_checksum *checksum,
    raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    open_existing(db, path_of(directory, songs_file), false);
    TreeDB tree;
    open_tree(tree, path_of(directory, seconds_file), TreeDB::OREADER);
    raw_checksum found{};
    const std::unique_ptr<TreeDB::Cursor> cursor(tree.cursor());
    for (size_t i = 0; i < seconds_count; i++) {
      for_each_key(tree, *cursor, seconds[i], seconds[i] + 1, [&](uint32_t row) {
        with_row(db, row, [&](const char *value, size_t length) {
          found.count++;
          found.sum += song_sum(value, length);
        });
        return true;
      });
    }
    close(tree);
    close(db);
    *checksum = found;
  });
}

int raw_fetch_ranges(
    const char *directory, const uint32_t *lower, const uint32_t *upper, size_t range_count, uint32_t limit,
    raw_checksum *checksum, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    open_existing(db, path_of(directory, songs_file), false);
    TreeDB tree;
    open_tree(tree, path_of(directory, seconds_file), TreeDB::OREADER);
    raw_checksum found{};
    const std::unique_ptr<TreeDB::Cursor> cursor(tree.cursor());
    for (size_t i = 0; i < range_count; i++) {
      uint64_t position = 0;
      for_each_key(tree, *cursor, lower[i], upper[i], [&](uint32_t row) {
        with_row(db, row, [&](const char *value, size_t length) {
          found.count++;
          found.sum += song_sum(value, length) * ++position;
        });
        return position < limit;
      });
    }
    close(tree);
    close(db);
    *checksum = found;
  });
}

int raw_insert_playlists(
    const char *directory, const raw_songs *songs, uint32_t songs_per_playlist, raw_failure *failure) {
  return guarded(failure, [&] {
    const uint32_t playlist_count = songs->song_count / songs_per_playlist;
    HashDB song_db, playlist_db;
    create(song_db, path_of(directory, songs_file), songs->song_count);
    create(playlist_db, path_of(directory, playlists_file), playlist_count);
    insert_songs(song_db, *songs);
    Encoder encoder;
    for (uint32_t p = 0; p < playlist_count; p++) {
      char title[64];
      const int title_length = std::snprintf(title, sizeof title, "Playlist %u", p);
      encoder.begin();
      encoder.put_string(title, title_length);
      encoder.put_varint(songs_per_playlist);
      for (uint32_t s = 0; s < songs_per_playlist; s++) encoder.put_u32(row_of(p * songs_per_playlist + s));
      put(playlist_db, row_of(p), encoder.end(row_of(p)));
    }
    close(playlist_db);
    close(song_db);
  });
}

int raw_fetch_first_songs(const char *directory, raw_checksum *checksum, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB song_db, playlist_db;
    open_existing(song_db, path_of(directory, songs_file), false);
    open_existing(playlist_db, path_of(directory, playlists_file), false);
    raw_checksum found{};
    for_each(playlist_db, [&](const char *, const char *value, size_t length) {
      Decoder decoder(value, length);
      decoder.string_sum();
      if (decoder.varint() == 0) return;
      with_row(song_db, decoder.u32(), [&](const char *song, size_t song_length) {
        found.count++;
        found.sum += song_sum(song, song_length);
      });
    });
    close(playlist_db);
    close(song_db);
    *checksum = found;
  });
}

int raw_fetch_playlists(const char *directory, raw_checksum *checksum, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB song_db, playlist_db;
    open_existing(song_db, path_of(directory, songs_file), false);
    open_existing(playlist_db, path_of(directory, playlists_file), false);
    raw_checksum found{};
    for_each(playlist_db, [&](const char *, const char *value, size_t length) {
      Decoder decoder(value, length);
      found.count++;
      found.sum += decoder.string_sum();
      const uint64_t song_count = decoder.varint();
      for (uint64_t position = 1; position <= song_count; position++) {
        with_row(song_db, decoder.u32(), [&](const char *song, size_t song_length) {
          found.count++;
          found.sum += song_sum(song, song_length) * position;
        });
      }
    });
    close(playlist_db);
    close(song_db);
    *checksum = found;
  });
}

int raw_update_every_third(const char *directory, const char *title, size_t title_length, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    open_existing(db, path_of(directory, songs_file), true);
    struct Song {
      uint32_t row;
      uint32_t seconds;
    };
    std::vector<Song> changed;
    for_each(db, [&](const char *key, const char *value, size_t length) {
      Decoder decoder(value, length);
      decoder.string_sum();
      Song song{0, decoder.u32()};
      std::memcpy(&song.row, key, sizeof song.row);
      if (song.seconds % 3 == 0) changed.push_back(song);
    });
    Encoder encoder;
    for (const Song &song : changed) {
      encoder.begin();
      encoder.put_string(title, title_length);
      encoder.put_u32(song.seconds);
      put(db, song.row, encoder.end(song.row));
    }
    close(db);
  });
}

int raw_insert_buffers(
    const char *directory, uint32_t buffer_count, uint32_t numbers_per_buffer, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    create(db, path_of(directory, buffers_file), buffer_count);
    Encoder encoder;
    for (uint32_t b = 0; b < buffer_count; b++) {
      const std::string name = "buffer " + std::to_string(b);
      encoder.begin();
      for (uint32_t n = 0; n < numbers_per_buffer; n++) encoder.put_u32(b + n);
      const std::string &bytes = encoder.end(b);
      if (!db.set(name.data(), name.size(), bytes.data(), bytes.size())) fail(db, "set");
    }
    close(db);
  });
}

int raw_fetch_buffers(const char *directory, uint32_t buffer_count, raw_checksum *checksum, raw_failure *failure) {
  return guarded(failure, [&] {
    HashDB db;
    open_existing(db, path_of(directory, buffers_file), false);
    raw_checksum found{};
    for (uint32_t b = 0; b < buffer_count; b++) {
      const std::string name = "buffer " + std::to_string(b);
      with_record(db, name.data(), name.size(), [&](const char *value, size_t length) {
        Decoder decoder(value, length);
        const size_t number_count = (length - head_byte_count - check_byte_count) / sizeof(uint32_t);
        found.count++;
        for (size_t n = 0; n < number_count; n++) found.sum += decoder.u32();
      });
    }
    close(db);
    *checksum = found;
  });
}

raw_updater *raw_updater_open(const char *directory, raw_failure *failure) {
  std::unique_ptr<raw_updater> updater;
  const int status = guarded(failure, [&] {
    updater = std::make_unique<raw_updater>();
    open_existing(updater->db, path_of(directory, songs_file), true);
  });
  return status == 0 ? updater.release() : nullptr;
}

int raw_updater_set(
    raw_updater *updater, uint32_t index, const char *title, size_t title_length, raw_failure *failure) {
  return guarded(failure, [&] {
    const uint32_t row = row_of(index);
    uint32_t seconds = 0;
    with_row(updater->db, row, [&](const char *value, size_t length) {
      Decoder decoder(value, length);
      decoder.string_sum();
      seconds = decoder.u32();
    });
    updater->encoder.begin();
    updater->encoder.put_string(title, title_length);
    updater->encoder.put_u32(seconds);
    put(updater->db, row, updater->encoder.end(row));
    if (!updater->db.synchronize(true)) fail(updater->db, "synchronize");
  });
}

int raw_updater_close(raw_updater *updater, raw_failure *failure) {
  const int status = guarded(failure, [&] { close(updater->db); });
  delete updater;
  return status;
}
