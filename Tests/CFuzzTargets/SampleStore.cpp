#include "SampleStore.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "CStorageEngine.h"

namespace todana::fuzzing {

namespace {

namespace files = std::filesystem;

// The number of trailing zeros of a log that are kept. A new log has a mebibyte of them, which every run would write
// again.
constexpr size_t kKeptZeros = 8192;

class Batch {
 public:
  void put(uint32_t keyspace, uint64_t row, size_t length) {
    tdn_change change{};
    change.keyspace = keyspace;
    change.kind = TDN_PUT;
    change.key = row;
    addValue(change, length);
  }
  void put(uint32_t keyspace, const std::string &key, size_t length) {
    tdn_change change{};
    change.keyspace = keyspace;
    change.kind = TDN_PUT;
    change.key = bytes_.size();
    change.key_length = static_cast<uint16_t>(key.size());
    bytes_ += key;
    addValue(change, length);
  }
  void remove(uint32_t keyspace, uint64_t row) {
    tdn_change change{};
    change.keyspace = keyspace;
    change.kind = TDN_REMOVE;
    change.key = row;
    changes_.push_back(change);
  }

  void commit(tdn_cabinet *cabinet, uint8_t number) {
    tdn_batch batch{};
    batch.id[0] = number;
    batch.changes = changes_.data();
    batch.change_count = changes_.size();
    batch.bytes = reinterpret_cast<const uint8_t *>(bytes_.data());
    batch.byte_count = bytes_.size();
    tdn_commit_result result{};
    tdn_error error{};
    if (!tdn_commit(cabinet, &batch, TDN_FULL, &result, &error)) found(std::string("no sample: ") + error.message);
    changes_.clear();
    bytes_.clear();
  }

 private:
  void addValue(tdn_change &change, size_t length) {
    change.value = bytes_.size();
    change.value_length = length;
    bytes_ += std::string(length, static_cast<char>('A' + changes_.size() % 26));
    changes_.push_back(change);
  }

  std::vector<tdn_change> changes_;
  std::string bytes_;
};

tdn_cabinet *open(const std::string &path) {
  tdn_options options;
  tdn_options_init(&options);
  options.sector_size = 512;
  tdn_open_report report;
  tdn_error error{};
  tdn_cabinet *cabinet = tdn_open(path.c_str(), &options, &report, &error);
  if (!cabinet) found(std::string("no sample: ") + error.message);
  return cabinet;
}

uint32_t keyspace(tdn_cabinet *cabinet, tdn_keyspace_kind kind, const std::string &name) {
  uint32_t id = 0;
  tdn_error error{};
  if (!tdn_keyspace_named(cabinet, kind, reinterpret_cast<const uint8_t *>(name.data()), name.size(), &id, &error)) {
    found(std::string("no sample: ") + error.message);
  }
  return id;
}

}  // namespace

std::string sampleKey(int number) {
  char key[8];
  std::snprintf(key, sizeof key, "key%02d", number);
  return key;
}

const SampleStore &SampleStore::shared() {
  static const SampleStore store;
  return store;
}

SampleStore::SampleStore() {
  const std::string path = scratchDirectory() + "/sample";
  tdn_cabinet *cabinet = open(path);
  const uint32_t rows = keyspace(cabinet, TDN_KEYSPACE_ROWS, "Song");
  const uint32_t keys = keyspace(cabinet, TDN_KEYSPACE_KEYS, "buffers");
  const uint32_t tree = keyspace(cabinet, TDN_KEYSPACE_TREE, "index");
  Batch batch;
  // Two packs, and records of all sizes; enough keys in the tree for several leaves.
  for (uint64_t row = 1; row <= 40; row++) batch.put(rows, row, 10 + row % 13);
  for (uint64_t row = 100; row <= 1100; row += 50) batch.put(rows, row, row % 100 ? 20 : row);
  for (int number = 0; number < 12; number++) batch.put(keys, sampleKey(number), number % 3 ? 30 : 500);
  for (int number = 0; number < kSampleKeyCount; number++) batch.put(tree, sampleKey(number), 400);
  batch.commit(cabinet, 1);
  for (uint64_t row : {3, 4, 300, 350, 700}) batch.remove(rows, row);
  batch.commit(cabinet, 2);
  tdn_error error{};
  if (!tdn_close(cabinet, &error)) found(std::string("no sample: ") + error.message);
  closed_ = readAll(path);

  cabinet = open(path);
  batch.put(rows, 7, 9);
  batch.put(rows, 2000, 5000);
  batch.put(keys, sampleKey(1), 60);
  batch.put(tree, sampleKey(5), 500);
  batch.commit(cabinet, 3);
  batch.put(rows, 300, 50);
  batch.remove(rows, 2000);
  batch.commit(cabinet, 4);
  killed_ = readAll(path);
  if (!tdn_close(cabinet, &error)) found(std::string("no sample: ") + error.message);
  removeAll(path);

  for (Files *files : {&closed_, &killed_}) files->erase("lock");
  for (const char *name : {"log-a", "log-b"}) {
    auto log = killed_.find(name);
    if (log == killed_.end()) continue;
    const size_t used = log->second.find_last_not_of('\0');
    log->second.resize(std::min(log->second.size(), (used == std::string::npos ? 0 : used) + 1 + kKeptZeros));
  }
}

// MARK: Files

const std::string &scratchDirectory() {
  static const struct Scratch {
    std::string path;
    pid_t process = ::getpid();

    Scratch() {
      // Prefers a file system in memory unless TMPDIR is set: elsewhere, flushes take most of the time.
      const char *temporary = std::getenv("TMPDIR");
      for (const char *parent : {temporary ? temporary : "", "/dev/shm", "/tmp"}) {
        path = std::string(parent) + "/todana-fuzz-XXXXXX";
        if (*parent && ::mkdtemp(path.data())) return;
      }
      found("cannot make a scratch directory");
    }
    ~Scratch() {
      if (process == ::getpid()) removeAll(path);
    }
  } scratch;
  return scratch.path;
}

void layDown(const Files &contents, const std::string &path) {
  files::create_directories(path);
  for (const auto &[name, content] : contents) {
    std::ofstream file(path + "/" + name, std::ios::binary | std::ios::trunc);
    if (!file.write(content.data(), static_cast<std::streamsize>(content.size()))) found("cannot write " + name);
  }
}

void removeAll(const std::string &path) {
  std::error_code ignored;
  files::remove_all(path, ignored);
}

Files readAll(const std::string &path) {
  Files contents;
  for (const files::directory_entry &entry : files::directory_iterator(path)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    contents[entry.path().filename().string()] = content.str();
  }
  return contents;
}

std::vector<std::string> namesIn(const std::string &path) {
  std::vector<std::string> names;
  for (const files::directory_entry &entry : files::directory_iterator(path)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

void found(const std::string &what) {
  std::fprintf(stderr, "found: %s\n", what.c_str());
  std::abort();
}

}  // namespace todana::fuzzing
