#include "TreeWriter.h"

#include "NodeSeal.h"
#include "PagedKyoto.h"
#include "TreeReader.h"

namespace todana {

namespace {

struct TreePort : FilePort {
  const HashFile *hash = nullptr;
  std::vector<std::string> *changedNodes = nullptr;
};

// Seals what stock code writes and hands it what was sealed, opened.
class SealingVisitor : public kyotocabinet::DB::Visitor {
 public:
  // `old`: the node as it was written; nothing where stock code is about to write it, and does not look.
  SealingVisitor(const HashFile &file, kyotocabinet::DB::Visitor *visitor, std::string_view old)
      : seal_(file), visitor_(visitor), old_(old) {}

 private:
  const char *visit_full(const char *key, size_t keyLength, const char *, size_t, size_t *length) override {
    return sealed({key, keyLength}, visitor_->visit_full(key, keyLength, old_.data(), old_.size(), length), length);
  }
  const char *visit_empty(const char *key, size_t keyLength, size_t *length) override {
    return sealed({key, keyLength}, visitor_->visit_empty(key, keyLength, length), length);
  }
  const char *sealed(std::string_view key, const char *node, size_t *length) {
    if (node == NOP || node == REMOVE) return node;
    const std::string_view made = seal_.sealed(key, {node, *length}, buffer_);
    *length = made.size();
    return made.data();
  }

  const NodeSeal seal_;
  kyotocabinet::DB::Visitor *const visitor_;
  const std::string_view old_;
  std::string buffer_;
};

// The nodes of a tree: a stock hash database without locks that walks every chain with our reader first, and lets
// stock code read checked nodes only.
class TreeNodes : public kyotocabinet::PagedHashDB {
 public:
  using PagedHashDB::recovered;
  using PagedHashDB::reorganized;
  using PagedHashDB::report;
  using PagedHashDB::report_binary;
  using PagedHashDB::report_valist;
  using PagedHashDB::trigger_meta;
  using PagedHashDB::tune_type;
  using PagedHashDB::type;

  // Never repaired, never marked as open: that is what the group is for.
  bool open(const std::string &path, uint32_t mode) override {
    if (!PagedHashDB::open(path, mode | OAUTOTRAN | ONOREPAIR | ONOLOCK)) return false;
    tran_ = true;  // stock code would store the header after each change of a node
    return true;
  }
  bool close() override {
    tran_ = false;  // otherwise it would undo what it takes for an unfinished transaction
    return PagedHashDB::close();
  }

  // The group flushes; stock code would also take its 1,024 record locks at once.
  bool synchronize(bool = false, FileProcessor * = nullptr, ProgressChecker * = nullptr) override {
    return dump_meta();
  }

  // Everything that PlantDB does to its nodes comes through here.
  bool accept(const char *key, size_t keyLength, Visitor *visitor, bool isWriting) override {
    auto *port = static_cast<TreePort *>(ScopedPort::current());
    if (isWriting && !port->isWritable) return false;
    try {
      const HashFile &hash = *port->hash;
      HashFile::Place place = hash.place(key, keyLength);
      HashBlock record;
      std::string_view node("", 0);
      std::string buffer;
      if (hash.find(key, keyLength, place, record)) {
        if (isWriting) {
          hash.checkRemoval(record);
        } else {
          node = NodeSeal(hash).opened({key, keyLength}, {record.value, record.valueLength}, buffer);
          TreeReader::checkNode(hash, {key, keyLength}, node);
        }
      }
      if (isWriting && port->changedNodes) port->changedNodes->emplace_back(key, keyLength);
      if (!hash.sealers()) return accept_impl(key, keyLength, visitor, place.bucket, place.pivot, false);
      SealingVisitor sealing(hash, visitor, node);
      return accept_impl(key, keyLength, &sealing, place.bucket, place.pivot, false);
    } catch (...) {
      if (!port->failure) port->failure = std::current_exception();
      set_error(_KCCODELINE_, Error::BROKEN, "a node cannot be read");
      return false;
    }
  }
};

class Changing : public kyotocabinet::DB::Visitor {
 public:
  Changing(std::string_view value, bool isRemoval, const TreeWriter::OldValue &old)
      : value_(value), isRemoval_(isRemoval), old_(old) {}

 private:
  const char *visit_full(const char *, size_t, const char *value, size_t valueLength, size_t *length) override {
    if (old_) old_(value, valueLength);
    return change(length);
  }
  const char *visit_empty(const char *, size_t, size_t *length) override {
    if (isRemoval_) return NOP;
    if (old_) old_(nullptr, 0);
    return change(length);
  }
  const char *change(size_t *length) {
    if (isRemoval_) return REMOVE;
    *length = value_.size();
    return value_.data() ? value_.data() : "";
  }

  std::string_view value_;
  bool isRemoval_;
  const TreeWriter::OldValue &old_;
};

}  // namespace

struct TreeWriter::Stock {
  TreePort port;
  kyotocabinet::PlantDB<TreeNodes, kyotocabinet::BasicDB::TYPETREE> tree;
};

// Stock code is not made for exceptions; what throws there is an allocation.
template <class Body> bool TreeWriter::guarded(Body body) {
  try {
    return body();
  } catch (...) {
    isBroken_ = true;
    throw;
  }
}

TreeWriter::TreeWriter(std::shared_ptr<const HashFile> file)
    : file_(std::move(file)), stock_(std::make_unique<Stock>()) {
  stock_->port.file = file_->file().get();
  stock_->port.hash = file_.get();
  if (file_->count() > 0) TreeReader(*file_).checkInnerNodes();
  // Stock code takes the pool as it is, so each block is looked at here.
  for (const HashFile::FreeRange &range : file_->storedFreeBlocks()) file_->checkFreeBlock(range);
  ScopedPort scope(stock_->port);
  auto &tree = stock_->tree;
  tree.tune_buckets(file_->bucketCount());  // which is the size of its node cache, too
  check(tree.open(file_->file()->name(), kyotocabinet::BasicDB::OWRITER));
}

TreeWriter::~TreeWriter() {
  if (!isBroken_) {
    try {
      ScopedPort scope(stock_->port);
      stock_->port.isWritable = false;
      stock_->tree.close();
      return;
    } catch (const std::exception &) {
      // There is no memory even for this.
    }
  }
  // Its lists of nodes may not be whole: better lost than looked at.
  static_cast<void>(stock_.release());
}

void TreeWriter::put(std::string_view key, std::string_view value, const OldValue &old) {
  change(key, value, false, old);
}

void TreeWriter::remove(std::string_view key, const OldValue &old) { change(key, {}, true, old); }

void TreeWriter::change(std::string_view key, std::string_view value, bool isRemoval, const OldValue &old) {
  ScopedPort scope(stock_->port);
  Changing visitor(value, isRemoval, old);
  check(guarded([&] { return stock_->tree.accept(key.data(), key.size(), &visitor, true); }));
}

void TreeWriter::noteNodesIn(std::vector<std::string> *keys) { stock_->port.changedNodes = keys; }

void TreeWriter::finish() {
  ScopedPort scope(stock_->port);
  // Its own commit of a transaction leaves the description out where only the root or an end has changed.
  check(guarded([&] { return stock_->tree.synchronize(false); }));
}

void TreeWriter::abandon() { stock_->port.isWritable = false; }

void TreeWriter::close() {
  ScopedPort scope(stock_->port);
  check(guarded([&] { return stock_->tree.close(); }));
}


void TreeWriter::check(bool isDone) {
  stock_->port.rethrowFailure();
  if (!isDone) file_->damaged(std::string("Kyoto Cabinet says: ") + stock_->tree.error().message(), 0);
}

}  // namespace todana
