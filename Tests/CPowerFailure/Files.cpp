#include "Files.h"

#include <fstream>
#include <stdexcept>

namespace todana::simulation {

namespace fs = std::filesystem;

void lay(const fs::path &directory, const FileSystem &files) {
  fs::remove_all(directory);
  fs::create_directories(directory);
  for (const auto &[name, content] : files) {
    std::ofstream stream(directory / name, std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();
    require(stream.good(), "cannot write " + name);
  }
}

std::string readFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::string content(fs::file_size(path), '\0');
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  require(static_cast<bool>(stream), "cannot read " + path.string());
  return content;
}

FileSystem readAll(const fs::path &directory) {
  FileSystem files;
  for (const auto &entry : fs::directory_iterator(directory)) {
    files[entry.path().filename()] = readFile(entry.path());
  }
  return files;
}

void require(bool condition, const std::string &what) {
  if (!condition) throw std::runtime_error(what);
}

}  // namespace todana::simulation
