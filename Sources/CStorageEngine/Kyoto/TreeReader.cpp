#include "TreeReader.h"

#include <algorithm>

#include "NodeSeal.h"

namespace todana {

namespace {

constexpr size_t kMetaSize = 80;
constexpr uint8_t kLexicalOrder = 0x10;
constexpr int64_t kMaximumPageSize = 1 << 20;
constexpr int64_t kMaximumCacheSlots = 1 << 22;
constexpr uint64_t kLeastRecords = 128;

}  // namespace

HashFile::Shape TreeReader::shape(std::shared_ptr<SealerPool> sealers, uint64_t recordCount) {
  HashFile::Shape shape;
  shape.sealers = std::move(sealers);
  shape.type = kTreeFileType;
  shape.alignmentPower = 8;  // nodes grow and shrink in place
  // The buckets hold nodes, which usually contain many records each.
  shape.bucketCount = 1021;
  const uint64_t wanted = std::min(recordCount / kLeastRecords, kMostBuckets);
  if (wanted > 1021) shape.bucketCount = HashFile::bucketCountAtLeast(wanted);
  return shape;
}

TreeReader::TreeReader(const HashFile &file) : file_(file) {
  HashBlock record;
  if (!file.find(kDescriptionKey.data(), kDescriptionKey.size(), record)) damaged("the description of the tree is missing");
  std::string buffer;
  const std::string_view meta = NodeSeal(file).opened(kDescriptionKey, {record.value, record.valueLength}, buffer);
  if (meta.size() != kMetaSize) damaged("the description of the tree is damaged");
  if (static_cast<uint8_t>(meta[0]) != kLexicalOrder) damaged("the tree has an unknown order");
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

std::string TreeReader::description(size_t pageSize) const {
  std::string bytes(kMetaSize, '\0');
  bytes[0] = static_cast<char>(kLexicalOrder);
  const int64_t cacheSlots = std::min(file_.bucketCount(), kMaximumCacheSlots);
  const int64_t numbers[] = {
    static_cast<int64_t>(pageSize), root_, first_, last_, leafCount_, innerCount_, static_cast<int64_t>(count_),
    cacheSlots};
  for (size_t index = 0; index < std::size(numbers); index++) {
    writeBigEndian64(bytes.data() + 8 + 8 * index, static_cast<uint64_t>(numbers[index]));
  }
  std::memcpy(bytes.data() + kMetaSize - 8, "\nBoofy!\n", 8);
  return bytes;
}

// MARK: Nodes

// A cursor over the children of an inner node, from the heir, which has no key, to the last one. It checks each child.
class TreeReader::InnerCursor {
 public:
  InnerCursor(const TreeReader &tree, std::string_view bytes)
      : tree_(tree), position_(bytes.data()), end_(position_ + bytes.size()) {
    readChild();
  }

  // Returns false after the last child.
  bool hasChild() const { return child_ != 0; }
  int64_t child() const { return child_; }
  // Returns the lower bound of the child's keys.
  std::string_view key() const { return key_; }

  bool advance() {
    if (position_ == end_) {
      child_ = 0;
      return false;
    }
    readChild();
    uint64_t length;
    position_ = readVarnum(position_, end_, &length);
    if (!position_ || length > static_cast<uint64_t>(end_ - position_)) {
      tree_.damaged("an inner node of the tree is damaged");
    }
    const std::string_view key(position_, length);
    if (hasKey_ && isLess(key, key_)) tree_.damaged("the keys of an inner node are not in order");
    key_ = key;
    hasKey_ = true;
    position_ += length;
    return true;
  }

 private:
  void readChild() {
    uint64_t child;
    position_ = readVarnum(position_, end_, &child);
    child_ = position_ ? static_cast<int64_t>(child) : 0;
    const bool isKnown =
      child_ > 0 && (isInner(child_) ? child_ <= kInnerBase + tree_.innerCount_ : child_ <= tree_.leafCount_);
    if (!isKnown) tree_.damaged("an inner node of the tree is damaged");
  }

  const TreeReader &tree_;
  const char *position_;
  const char *const end_;
  int64_t child_ = 0;
  std::string_view key_;
  bool hasKey_ = false;
};

void TreeReader::visitChildren(
  int64_t inner, const std::function<void(std::string_view key, int64_t child)> &visit) const {
  std::string opened;
  for (InnerCursor node(*this, readNode(inner, opened)); node.hasChild(); node.advance()) {
    visit(node.key(), node.child());
  }
}

namespace {

uint64_t readLeafNumber(const HashFile &file, const char *&position, const char *end, uint64_t limit) {
  uint64_t number;
  position = readVarnum(position, end, &number);
  if (!position || number > limit) file.damaged("a leaf of the tree is damaged", 0);
  return number;
}

}  // namespace

void TreeReader::LeafCursor::begin(const HashFile &file, std::string_view bytes, int64_t leafCount) {
  file_ = &file;
  position_ = bytes.data();
  end_ = position_ + bytes.size();
  hasRecord_ = false;
  previous_ = static_cast<int64_t>(readLeafNumber(file, position_, end_, static_cast<uint64_t>(leafCount)));
  next_ = static_cast<int64_t>(readLeafNumber(file, position_, end_, static_cast<uint64_t>(leafCount)));
  advance();
}

void TreeReader::LeafCursor::advance() {
  start_ = position_;
  if (position_ == end_) {
    hasRecord_ = false;
    return;
  }
  const uint64_t size = static_cast<uint64_t>(end_ - position_);
  const uint64_t keyLength = readLeafNumber(*file_, position_, end_, size);
  const uint64_t valueLength = readLeafNumber(*file_, position_, end_, size);
  if (keyLength + valueLength > static_cast<uint64_t>(end_ - position_)) {
    file_->damaged("a leaf of the tree is damaged", 0);
  }
  const std::string_view key(position_, keyLength);
  if (hasRecord_ && !isLess(record_.key, key)) file_->damaged("the keys of a leaf are not in order", 0);
  record_ = {key, {position_ + keyLength, valueLength}};
  hasRecord_ = true;
  position_ += keyLength + valueLength;
}

void TreeReader::parseLeaf(std::string_view bytes, Leaf &leaf) const {
  LeafCursor cursor;
  cursor.begin(file_, bytes, leafCount_);
  leaf.previous = cursor.previous();
  leaf.next = cursor.next();
  leaf.records.clear();
  for (; cursor.record(); cursor.advance()) leaf.records.push_back(*cursor.record());
}

// MARK: Finding

int64_t TreeReader::leafFor(std::string_view key, std::optional<std::string> *end) const {
  int64_t id = root_;
  for (int level = 0; isInner(id); level++) {
    if (level == kMaximumLevel) damaged("the tree is too deep, or its nodes form a circle");
    id = childFor(id, key, end);
  }
  return id;
}

int64_t TreeReader::childFor(int64_t inner, std::string_view key, std::optional<std::string> *end) const {
  std::string opened;
  InnerCursor node(*this, readNode(inner, opened));
  int64_t child = node.child();
  while (node.advance() && !isLess(key, node.key())) child = node.child();
  if (end && node.hasChild()) *end = std::string(node.key());
  return child;
}

std::array<TreeReader::Way, 2> TreeReader::waysTo(const std::string *lower, const std::string *upper) const {
  const std::string *keys[] = {lower, upper};
  std::array<Way, 2> ways;
  for (Way &way : ways) way.leaf = root_;
  while (isInner(ways[0].leaf) || isInner(ways[1].leaf)) {
    const size_t first = isInner(ways[0].leaf) ? 0 : 1;
    descend(&ways[first], keys + first, ways[0].leaf == ways[1].leaf ? 2 : 1);
  }
  return ways;
}

// Extends ways that have led to the same inner node by one step. `keys`: those of the ways, in ascending order.
void TreeReader::descend(Way *ways, const std::string *const *keys, size_t count) const {
  const int64_t id = ways[0].leaf;
  if (ways[0].steps.size() == kMaximumLevel) damaged("the tree is too deep, or its nodes form a circle");
  for (size_t way = 0; way < count; way++) ways[way].steps.push_back({id, 0, 0});
  std::string opened;
  size_t next = 0;  // the first way whose child is not known yet
  uint32_t index = 0;
  for (InnerCursor node(*this, readNode(id, opened)); node.hasChild(); node.advance(), index++) {
    while (next < count && index > 0 && keys[next] && isLess(*keys[next], node.key())) next++;
    for (size_t way = next; way < count; way++) {
      ways[way].leaf = node.child();
      ways[way].steps.back().index = index;
    }
  }
  for (size_t way = 0; way < count; way++) ways[way].steps.back().count = index;
}

void TreeReader::readLeaf(int64_t id, Leaf &leaf) const { parseLeaf(readNode(id, leaf.opened), leaf); }

void TreeReader::readLeaf(int64_t id, LeafCursor &leaf) const {
  leaf.begin(file_, readNode(id, leaf.opened_), leafCount_);
}

void TreeReader::copyLeaf(int64_t id, LeafCursor &leaf) const {
  const std::string_view bytes = readNode(id, leaf.opened_);
  if (bytes.data() < leaf.opened_.data() || bytes.data() > leaf.opened_.data() + leaf.opened_.size()) {
    leaf.opened_.assign(bytes);
    leaf.begin(file_, leaf.opened_, leafCount_);
  } else {
    leaf.begin(file_, bytes, leafCount_);
  }
}

bool TreeFinder::find(std::string_view key, std::string_view &value) {
  if (!hasLeaf_ || (end_ && !TreeReader::isLess(key, *end_))) {
    hasLeaf_ = false;
    end_ = std::nullopt;
    tree_.readLeaf(tree_.leafFor(key, &end_), leaf_);
    hasLeaf_ = true;
  }
  while (leaf_.record() && TreeReader::isLess(leaf_.record()->key, key)) leaf_.advance();
  if (!leaf_.record() || !TreeReader::isEqual(leaf_.record()->key, key)) return false;
  value = leaf_.record()->value;
  return true;
}

TreeReader::NodeKey TreeReader::keyOf(int64_t id) {
  NodeKey key;
  uint64_t number = static_cast<uint64_t>(isInner(id) ? id - kInnerBase : id);
  key.bytes[0] = isInner(id) ? 'I' : 'L';
  key.length = 1 + static_cast<size_t>(64 - __builtin_clzll(number | 1) + 3) / 4;
  for (size_t index = key.length - 1; index > 0; index--, number >>= 4) key.bytes[index] = "0123456789ABCDEF"[number & 15];
  return key;
}

std::string_view TreeReader::readNode(int64_t id, std::string &opened) const {
  const NodeKey key = keyOf(id);
  HashBlock record;
  if (!file_.find(key.bytes, key.length, record)) damaged("a node of the tree is missing");
  return NodeSeal(file_).opened(key.view(), {record.value, record.valueLength}, opened);
}

}  // namespace todana
