#include "NodeSeal.h"

namespace todana {

std::string_view NodeSeal::opened(std::string_view key, std::string_view stored, std::string &buffer) const {
  if (!file_.sealers()) return stored;
  buffer.resize(stored.size());
  auto *bytes = reinterpret_cast<uint8_t *>(buffer.data());
  const Sealer::Opened opened = file_.sealers()->lend()->open(place(key), stored, bytes);
  switch (opened.outcome) {
    case Sealer::Outcome::opened: return std::string_view(buffer).substr(opened.offset, opened.count);
    case Sealer::Outcome::notSealed: file_.damaged("a node of the tree is not encrypted, though the store is", 0);
    case Sealer::Outcome::unknownEpoch:
      throw Failure(
        TDN_UNKNOWN_EPOCH, "a node of the tree is encrypted with a key that the store does not have",
        file_.file()->name());
    case Sealer::Outcome::notAuthentic: break;
  }
  file_.damaged("a node of the tree is damaged, or is in the place of another node", 0);
}

std::string_view NodeSeal::sealed(std::string_view key, std::string_view node, std::string &buffer) const {
  if (!file_.sealers()) return node;
  const std::vector<uint8_t> bytes = file_.sealers()->lend()->seal(place(key), node);
  buffer.assign(bytes.begin(), bytes.end());
  return buffer;
}

}  // namespace todana
