#include "TreeWriter.h"

#include <algorithm>

#include "NodeSeal.h"

namespace todana {

namespace {

// The maximum size of a node. With it, the aligned record in the hash file takes one page.
constexpr size_t kNodeLimit = 4000;
// The size of leaves and inner nodes that are filled in order. It leaves room for later keys in between.
constexpr size_t kFill = kNodeLimit * 7 / 8;
// The size of a leaf below which it is joined with the one before it, after a record was removed.
constexpr size_t kSmallLeaf = kNodeLimit / 4;
// The number of links up to which an inner node is not divided, however long its keys are.
constexpr size_t kFewestLinks = 8;
// The maximum size of records held back in a leaf until the following ones are known.
constexpr size_t kMostHeld = 3 * kNodeLimit;

constexpr std::string_view kEmptyLeaf("\0\0", 2);

void appendNumber(std::string &bytes, uint64_t number) {
  char buffer[16];
  bytes.append(buffer, kyotocabinet::writevarnum(buffer, number));
}

// Returns the shortest key that separates keys up to `left` from those starting at `right`.
std::string separator(std::string_view left, std::string_view right) {
  size_t common = 0;
  const size_t limit = std::min(left.size(), right.size());
  while (common < limit && left[common] == right[common]) common++;
  return std::string(right.substr(0, common + 1));
}

std::string_view keyAt(const std::string &records, size_t start) {
  const char *position = records.data() + start, *end = records.data() + records.size();
  uint64_t keyLength = 0, valueLength = 0;
  // The records are our own, so their numbers are valid.
  position = readVarnum(position, end, &keyLength);
  position = readVarnum(position, end, &valueLength);
  return {position, keyLength};
}

size_t linkSize(std::string_view key) { return key.size() + 8; }

}  // namespace

TreeWriter::TreeWriter(const HashFile &file, HashWriter &writer, std::vector<std::string> *changedNodes)
    : file_(file), writer_(writer), changedNodes_(changedNodes),
      tree_(file.count() > 0 ? TreeReader(file) : TreeReader(file, TreeReader::NoDescription())) {
  if (file.count() > 0) return;
  tree_.root_ = tree_.first_ = tree_.last_ = tree_.leafCount_ = 1;
  putNode(1, kEmptyLeaf);
}

// MARK: Changes

void TreeWriter::put(std::string_view key, std::string_view value, const OldValue &old) {
  goTo(key);
  isAppending_ = !old_.record();
  if (old_.record() && TreeReader::isEqual(old_.record()->key, key)) {
    if (old) old(old_.record()->value.data(), old_.record()->value.size());
    old_.advance();
  } else {
    if (old) old(nullptr, 0);
    tree_.count_++;
  }
  starts_.push_back(records_.size());
  appendNumber(records_, key.size());
  appendNumber(records_, value.size());
  records_.append(key);
  records_.append(value);
  isChanged_ = true;
  if (records_.size() >= kMostHeld && starts_.size() > 1) divide(kFill);
}

void TreeWriter::remove(std::string_view key, const OldValue &old) {
  goTo(key);
  if (!old_.record() || !TreeReader::isEqual(old_.record()->key, key)) return;
  if (old) old(old_.record()->value.data(), old_.record()->value.size());
  old_.advance();
  tree_.count_--;
  isChanged_ = hasRemoved_ = true;
}

void TreeWriter::removeRange(std::string_view lower, std::string_view upper, const OldRecord &old) {
  const auto isWithin = [&](std::string_view key) { return upper.empty() || TreeReader::isLess(key, upper); };
  close();
  for (std::string from(lower);; from = *end_) {
    goTo(from);
    // A whole leaf needs no comparison of each key.
    const bool isWhole = end_ && isWithin(*end_);
    for (; old_.record() && (isWhole || isWithin(old_.record()->key)); old_.advance()) {
      old(old_.record()->key, old_.record()->value);
      tree_.count_--;
      isChanged_ = hasRemoved_ = true;
    }
    if (!isWhole) break;
    if (!TreeReader::isLess(from, *end_)) tree_.damaged("the keys of an inner node are not in order");
    close();
  }
  close();
}

std::optional<std::string> TreeWriter::join(std::string_view key, int leafCount) {
  std::string from(key);
  for (int count = 0; count < leafCount; count++) {
    open(from);
    isOpen_ = false;
    records_.assign(old_.start(), static_cast<size_t>(old_.end() - old_.start()));
    joinPrevious();
    records_.clear();
    if (!end_) return std::nullopt;
    from = *end_;
  }
  return from;
}

void TreeWriter::finish() {
  close();
  closeGap();
  for (const auto &[id, inner] : inners_) {
    if (inner.isDead) {
      removeNode(id);
      continue;
    }
    node_.clear();
    appendNumber(node_, static_cast<uint64_t>(inner.heir));
    for (const Inner::Link &link : inner.links) {
      appendNumber(node_, static_cast<uint64_t>(link.child));
      appendNumber(node_, link.key.size());
      node_.append(link.key);
    }
    putNode(id, node_);
  }
  inners_.clear();
  putRecord(TreeReader::kDescriptionKey, tree_.description(kNodeLimit));
}

// MARK: The leaf that is being changed

// Opens the leaf that the key belongs to. Takes over the records before the key.
void TreeWriter::goTo(std::string_view key) {
  if (!isOpen_ || (end_ && !TreeReader::isLess(key, *end_))) {
    close();
    open(key);
  }
  const char *start = old_.start();
  while (old_.record() && TreeReader::isLess(old_.record()->key, key)) passOne(start);
  records_.append(start, static_cast<size_t>(old_.start() - start));
}

void TreeWriter::passOne(const char *start) {
  starts_.push_back(records_.size() + static_cast<size_t>(old_.start() - start));
  old_.advance();
}

void TreeWriter::open(std::string_view key) {
  int64_t id = tree_.root_;
  end_ = std::nullopt;
  for (int level = 0; TreeReader::isInner(id); level++) {
    if (level == TreeReader::kMaximumLevel) tree_.damaged("the tree is too deep, or its nodes form a circle");
    id = childFor(id, key, &end_);
  }
  const bool followsGap = gap_ && gap_->next == id;
  if (!followsGap) closeGap();
  tree_.copyLeaf(id, old_);
  leaf_ = id;
  key_ = std::string(key);
  previous_ = followsGap ? gap_->previous : old_.previous();
  next_ = old_.next();
  if ((previous_ == 0) != (id == tree_.first_) || (next_ == 0) != (id == tree_.last_)) {
    tree_.damaged("the leaves of the tree are not in order");
  }
  isChanged_ = hasRemoved_ = hasDivided_ = isAppending_ = false;
  isOpen_ = true;
}

void TreeWriter::close() {
  if (!isOpen_) return;
  isOpen_ = false;
  if (isChanged_) {
    const char *start = old_.start();
    while (old_.record()) passOne(start);
    records_.append(start, static_cast<size_t>(old_.start() - start));
    // If records were added at the end of the tree, more will probably follow there. Then leaves are filled almost
    // completely, instead of divided evenly.
    const bool isInOrder = isAppending_ && next_ == 0;
    while (records_.size() > kNodeLimit && starts_.size() > 1) {
      divide(isInOrder ? kFill : records_.size() / ((records_.size() + kNodeLimit - 1) / kNodeLimit));
    }
    // Only removals make a leaf smaller, and only then is the leaf before it worth reading.
    const bool mayJoin = hasRemoved_ && !hasDivided_ && records_.size() < kSmallLeaf;
    if (!starts_.empty()) closeGap();
    if (starts_.empty()) {
      unlink();
    } else if (!mayJoin || !joinPrevious()) {
      putLeaf(records_, next_);
      if (hasDivided_) chain(leaf_, next_);
    }
  }
  records_.clear();
  starts_.clear();
}

// Divides the leaf. Records that end within `size` bytes are written to it, but at least one record. The remaining
// records, at least one, belong to a new leaf, which becomes the current one.
void TreeWriter::divide(size_t size) {
  const auto beyond = std::upper_bound(starts_.begin() + 1, starts_.end(), size);
  const size_t count = std::max<size_t>(static_cast<size_t>(beyond - starts_.begin()) - 1, 1), end = starts_[count];
  const int64_t next = newNumber(tree_.leafCount_);
  putLeaf(std::string_view(records_).substr(0, end), next);
  addLink(separator(keyAt(records_, starts_[count - 1]), keyAt(records_, end)), next);
  previous_ = leaf_;
  leaf_ = next;
  hasDivided_ = true;
  records_.erase(0, end);
  starts_.erase(starts_.begin(), starts_.begin() + static_cast<std::ptrdiff_t>(count));
  for (size_t &start : starts_) start -= end;
}

void TreeWriter::putLeaf(std::string_view records, int64_t next) {
  node_.clear();
  appendNumber(node_, static_cast<uint64_t>(previous_));
  appendNumber(node_, static_cast<uint64_t>(next));
  node_.append(records);
  putNode(leaf_, node_);
}

// Removes a leaf without records from the tree.
void TreeWriter::unlink() {
  if (previous_ == 0 && next_ == 0) {
    // The leaf is the only one, so it becomes the root, unless it already is.
    gap_.reset();
    for (int64_t id : wayTo(key_)) inner(id).isDead = true;
    tree_.root_ = leaf_;
    return putNode(leaf_, kEmptyLeaf);
  }
  // The leaf follows a gap, or there is none.
  gap_ = Gap{previous_, next_};
  if (previous_ == 0) tree_.first_ = next_;
  if (next_ == 0) tree_.last_ = previous_;
  removeNode(leaf_);
  dropChild(wayTo(key_), leaf_);
}

// Links the leaves before and after the last leaves that were removed.
void TreeWriter::closeGap() {
  if (!gap_) return;
  const Gap gap = *gap_;
  gap_.reset();
  if (gap.previous != 0) {
    TreeReader::LeafCursor leaf;
    tree_.copyLeaf(gap.previous, leaf);
    replaceChain(gap.previous, leaf, leaf.previous(), gap.next);
  }
  chain(gap.previous, gap.next);
}

// Moves the records to the leaf before, and removes the leaf. Returns false, and changes nothing, if that leaf has no
// room, or another parent: the keys of the removed leaf would then lead to the leaf after it.
bool TreeWriter::joinPrevious() {
  if (previous_ == 0) return false;
  const std::vector<int64_t> way = wayTo(key_);
  if (way.empty() || heirOf(way.back()) == leaf_) return false;
  TreeReader::LeafCursor before;
  tree_.copyLeaf(previous_, before);
  const size_t size = static_cast<size_t>(before.end() - before.start());
  if (size + records_.size() > kFill) return false;
  node_.clear();
  appendNumber(node_, static_cast<uint64_t>(before.previous()));
  appendNumber(node_, static_cast<uint64_t>(next_));
  node_.append(before.start(), size);
  node_.append(records_);
  putNode(previous_, node_);
  chain(previous_, next_);
  removeNode(leaf_);
  dropChild(way, leaf_);
  return true;
}

// Returns the first child of an inner node.
int64_t TreeWriter::heirOf(int64_t id) const {
  if (const auto found = inners_.find(id); found != inners_.end()) return found->second.heir;
  int64_t heir = 0;
  tree_.visitChildren(id, [&](std::string_view, int64_t child) {
    if (heir == 0) heir = child;
  });
  return heir;
}

// Makes `previous` the leaf before `next`. 0 stands for no leaf.
void TreeWriter::chain(int64_t previous, int64_t next) {
  if (previous == 0) tree_.first_ = next;
  if (next == 0) {
    tree_.last_ = previous;
    return;
  }
  TreeReader::LeafCursor leaf;
  tree_.copyLeaf(next, leaf);
  replaceChain(next, leaf, previous, leaf.next());
}

void TreeWriter::replaceChain(int64_t id, const TreeReader::LeafCursor &leaf, int64_t previous, int64_t next) {
  node_.clear();
  appendNumber(node_, static_cast<uint64_t>(previous));
  appendNumber(node_, static_cast<uint64_t>(next));
  node_.append(leaf.start(), static_cast<size_t>(leaf.end() - leaf.start()));
  putNode(id, node_);
}

// MARK: Inner nodes

std::vector<int64_t> TreeWriter::wayTo(std::string_view key) const {
  std::vector<int64_t> way;
  for (int64_t id = tree_.root_; TreeReader::isInner(id); id = childFor(id, key, nullptr)) {
    if (way.size() == TreeReader::kMaximumLevel) tree_.damaged("the tree is too deep, or its nodes form a circle");
    way.push_back(id);
  }
  return way;
}

int64_t TreeWriter::childFor(int64_t id, std::string_view key, std::optional<std::string> *end) const {
  const auto found = inners_.find(id);
  if (found == inners_.end()) return tree_.childFor(id, key, end);
  const Inner &inner = found->second;
  const auto above = inner.firstAbove(key);
  if (end && above != inner.links.end()) *end = above->key;
  return above == inner.links.begin() ? inner.heir : std::prev(above)->child;
}

TreeWriter::Inner &TreeWriter::inner(int64_t id) {
  if (const auto found = inners_.find(id); found != inners_.end()) return found->second;
  Inner inner;
  tree_.visitChildren(id, [&](std::string_view key, int64_t child) {
    if (inner.heir == 0) {
      inner.heir = child;
    } else {
      inner.links.push_back({std::string(key), child});
      inner.byteCount += linkSize(key);
    }
  });
  return inners_.emplace(id, std::move(inner)).first->second;
}

// Adds a link to `child`, which directly follows the child to which the key leads so far.
void TreeWriter::addLink(std::string key, int64_t child) {
  for (std::vector<int64_t> way = wayTo(key); !way.empty(); way.pop_back()) {
    Inner &node = inner(way.back());
    const auto above = node.firstAbove(key);
    const bool isLast = above == node.links.end();
    node.byteCount += linkSize(key);
    node.links.insert(above, {std::move(key), child});
    if (node.byteCount <= kNodeLimit || node.links.size() <= kFewestLinks) return;
    const size_t count = node.links.size(), middle = isLast ? count - count / 8 - 1 : count / 2;
    child = TreeReader::kInnerBase + newNumber(tree_.innerCount_);
    Inner &right = inners_[child];
    right.heir = node.links[middle].child;
    key = node.links[middle].key;
    right.links.assign(
      std::make_move_iterator(node.links.begin() + static_cast<std::ptrdiff_t>(middle) + 1),
      std::make_move_iterator(node.links.end()));
    node.links.resize(middle);
    for (Inner *half : {&node, &right}) {
      half->byteCount = 0;
      for (const Inner::Link &link : half->links) half->byteCount += linkSize(link.key);
    }
  }
  const int64_t id = TreeReader::kInnerBase + newNumber(tree_.innerCount_);
  Inner &root = inners_[id];
  root.heir = tree_.root_;
  root.byteCount = linkSize(key);
  root.links.push_back({std::move(key), child});
  tree_.root_ = id;
}

void TreeWriter::dropChild(std::vector<int64_t> way, int64_t child) {
  for (;; way.pop_back()) {
    if (way.empty()) tree_.damaged("a leaf of the tree has no parent");
    Inner &node = inner(way.back());
    const auto link = std::find_if(
      node.links.begin(), node.links.end(), [&](const Inner::Link &link) { return link.child == child; });
    if (node.heir == child && node.links.empty()) {
      node.isDead = true;
      child = way.back();
      continue;
    }
    if (node.heir == child) {
      node.heir = node.links.front().child;
      node.byteCount -= linkSize(node.links.front().key);
      node.links.erase(node.links.begin());
    } else {
      if (link == node.links.end()) tree_.damaged("a node of the tree has no parent");
      node.byteCount -= linkSize(link->key);
      node.links.erase(link);
    }
    break;
  }
  // A root with one child is replaced by the child.
  for (auto root = inners_.find(tree_.root_); root != inners_.end() && root->second.links.empty();
       root = inners_.find(tree_.root_)) {
    root->second.isDead = true;
    tree_.root_ = root->second.heir;
  }
}

// MARK: Nodes

int64_t TreeWriter::newNumber(int64_t &count) {
  if (count + 1 >= TreeReader::kMaximumNodeCount) {
    throw Failure(TDN_LIMIT, "the tree has no node numbers left", file_.file()->name());
  }
  return ++count;
}

void TreeWriter::putNode(int64_t id, std::string_view bytes) { putRecord(TreeReader::keyOf(id).view(), bytes); }

void TreeWriter::putRecord(std::string_view key, std::string_view bytes) {
  const std::string_view stored = NodeSeal(file_).sealed(key, bytes, sealed_);
  const HashFile::Place place = file_.place(key.data(), key.size());
  HashBlock record;
  HashFile::ChainEnd chain;
  const bool exists = file_.find(key.data(), key.size(), place, record, &chain);
  writer_.put(key.data(), key.size(), place, exists ? &record : nullptr, chain, stored.data(), stored.size());
  if (changedNodes_) changedNodes_->emplace_back(key);
}

void TreeWriter::removeNode(int64_t id) {
  const TreeReader::NodeKey key = TreeReader::keyOf(id);
  const HashFile::Place place = file_.place(key.bytes, key.length);
  HashBlock record;
  if (!file_.find(key.bytes, key.length, place, record)) return;  // created and removed by the same commit
  file_.checkRemoval(record);
  writer_.remove(key.bytes, key.length, place);
  if (changedNodes_) changedNodes_->emplace_back(key.view());
}

}  // namespace todana
