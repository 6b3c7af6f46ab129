#include "TreeReader.h"

#include <algorithm>
#include <cstdio>

#include "NodeSeal.h"

namespace todana {

namespace {

constexpr std::string_view kMetaKey = "@";
constexpr size_t kMetaSize = 80;
constexpr uint8_t kLexicalOrder = 0x10;
constexpr int64_t kMaximumPageSize = 1 << 20;
constexpr int64_t kMaximumCacheSlots = 1 << 22;

}  // namespace

HashFile::Shape TreeReader::shape(std::shared_ptr<SealerPool> sealers) {
  HashFile::Shape shape;
  shape.sealers = std::move(sealers);
  shape.type = kTreeFileType;
  shape.alignmentPower = 8;  // nodes grow and shrink in place
  shape.bucketCount = 1021;  // for nodes, not records
  return shape;
}

TreeReader::TreeReader(const HashFile &file) : file_(file) {
  HashBlock record;
  if (!file.find(kMetaKey.data(), kMetaKey.size(), record)) damaged("the description of the tree is missing");
  std::string buffer;
  const std::string_view meta = NodeSeal(file).opened(kMetaKey, {record.value, record.valueLength}, buffer);
  if (meta.size() != kMetaSize) damaged("the description of the tree is damaged");
  if (static_cast<uint8_t>(meta[0]) != kLexicalOrder) damaged("the tree has an order that is never used");
  auto number = [&](int index) { return static_cast<int64_t>(readBigEndian64(meta.data() + 8 + 8 * index)); };
  int64_t pageSize = number(0), records = number(6), cacheSlots = number(7);
  root_ = number(1);
  first_ = number(2);
  last_ = number(3);
  leafCount_ = number(4);
  innerCount_ = number(5);
  auto isLeaf = [&](int64_t id) { return id > 0 && id <= leafCount_; };
  if (pageSize < 1 || pageSize > kMaximumPageSize || cacheSlots < 1 || cacheSlots > kMaximumCacheSlots ||
      records < 0 || leafCount_ < 1 || leafCount_ >= kMaximumNodeCount || innerCount_ < 0 ||
      innerCount_ >= kMaximumNodeCount || !isLeaf(first_) || !isLeaf(last_) ||
      !(isLeaf(root_) || (isInner(root_) && root_ <= kInnerBase + innerCount_))) {
    damaged("the description of the tree is damaged");
  }
  count_ = static_cast<uint64_t>(records);
}

bool TreeReader::find(std::string_view key, Leaf &leaf, std::string_view &value) const {
  readLeaf(leafFor(key), leaf);
  auto isBefore = [](const Record &record, std::string_view key) { return record.key < key; };
  auto found = std::lower_bound(leaf.records.begin(), leaf.records.end(), key, isBefore);
  if (found == leaf.records.end() || found->key != key) return false;
  value = found->value;
  return true;
}

int64_t TreeReader::leafFor(std::string_view key) const {
  int64_t id = root_;
  InnerNode node;
  for (int level = 0; isInner(id); level++) {
    if (level == kMaximumLevel) damaged("the tree is too deep, or its nodes run in a circle");
    parseInner(readNode(id, node.opened), node);
    auto above = std::upper_bound(
      node.links.begin(), node.links.end(), key, [](std::string_view k, const Link &link) { return k < link.key; });
    id = above == node.links.begin() ? node.heir : std::prev(above)->child;
  }
  return id;
}

void TreeReader::readLeaf(int64_t id, Leaf &leaf) const { parseLeaf(readNode(id, leaf.opened), leaf); }

std::string_view TreeReader::readNode(int64_t id, std::string &opened) const {
  char key[24];
  int length = std::snprintf(
    key, sizeof(key), "%c%llX", isInner(id) ? 'I' : 'L',
    static_cast<unsigned long long>(isInner(id) ? id - kInnerBase : id));
  HashBlock record;
  if (!file_.find(key, static_cast<size_t>(length), record)) damaged("a node of the tree is missing");
  return NodeSeal(file_).opened({key, static_cast<size_t>(length)}, {record.value, record.valueLength}, opened);
}

void TreeReader::parseInner(std::string_view bytes, InnerNode &node) const {
  const char *position = bytes.data(), *end = position + bytes.size();
  auto readChild = [&] {
    uint64_t child;
    position = readVarnum(position, end, &child);
    int64_t id = position ? static_cast<int64_t>(child) : 0;
    bool isKnown = id > 0 && (isInner(id) ? id <= kInnerBase + innerCount_ : id <= leafCount_);
    if (!isKnown) damaged("an inner node of the tree is damaged");
    return id;
  };
  node.links.clear();
  node.heir = readChild();
  while (position < end) {
    int64_t child = readChild();
    uint64_t length;
    position = readVarnum(position, end, &length);
    if (!position || length > static_cast<uint64_t>(end - position)) damaged("an inner node of the tree is damaged");
    std::string_view key(position, length);
    if (!node.links.empty() && key < node.links.back().key) damaged("the keys of an inner node are not in order");
    node.links.push_back({key, child});
    position += length;
  }
}

void TreeReader::parseLeaf(std::string_view bytes, Leaf &leaf) const {
  const char *position = bytes.data(), *end = position + bytes.size();
  auto readNumber = [&](uint64_t limit) {
    uint64_t number;
    position = readVarnum(position, end, &number);
    if (!position || number > limit) damaged("a leaf of the tree is damaged");
    return number;
  };
  leaf.records.clear();
  leaf.previous = static_cast<int64_t>(readNumber(static_cast<uint64_t>(leafCount_)));
  leaf.next = static_cast<int64_t>(readNumber(static_cast<uint64_t>(leafCount_)));
  while (position < end) {
    uint64_t keyLength = readNumber(bytes.size());
    uint64_t valueLength = readNumber(bytes.size());
    if (keyLength + valueLength > static_cast<uint64_t>(end - position)) damaged("a leaf of the tree is damaged");
    std::string_view key(position, keyLength);
    if (!leaf.records.empty() && key <= leaf.records.back().key) damaged("the keys of a leaf are not in order");
    leaf.records.push_back({key, {position + keyLength, valueLength}});
    position += keyLength + valueLength;
  }
}

void TreeReader::checkInnerNodes() const {
  if (isInner(root_)) checkInner(root_, 0);
}

// Returns how many nodes there are: in a tree, no more than the description says; in a circle or where nodes are
// shared, more and more.
int64_t TreeReader::checkInner(int64_t id, int level) const {
  if (level == kMaximumLevel) damaged("the tree is too deep, or its nodes run in a circle");
  InnerNode node;
  parseInner(readNode(id, node.opened), node);
  int64_t nodeCount = 1, limit = std::min(innerCount_, static_cast<int64_t>(file_.count()));
  auto check = [&](int64_t child) {
    if (isInner(child)) nodeCount += checkInner(child, level + 1);
    if (nodeCount > limit) damaged("inner nodes of the tree have several parents");
  };
  check(node.heir);
  for (const Link &link : node.links) check(link.child);
  return nodeCount;
}

void TreeReader::checkNode(const HashFile &file, std::string_view key, std::string_view value) {
  TreeReader reader(file, AnyNode());
  if (key.empty()) return;
  if (key[0] == 'L') {
    Leaf leaf;
    reader.parseLeaf(value, leaf);
  } else if (key[0] == 'I') {
    InnerNode node;
    reader.parseInner(value, node);
  }
}

}  // namespace todana
