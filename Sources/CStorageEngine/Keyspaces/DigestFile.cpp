#include "DigestFile.h"

#include <cstring>

#include "../Disk/Failure.h"

namespace todana {

namespace {

// The root occupies two slots; the state of keyspace n is in slot n + 1.
constexpr size_t kSlotSize = 64;
constexpr uint32_t kRoot = 0;
constexpr char kVersion = 1;
constexpr size_t kStateSize = 1 + 8 + DigestEntry::kDigestSize + 4;
constexpr size_t kRootSize = 1 + 8 + 2 * DigestEntry::kDigestSize + 1 + 4 + 8 + 4;
constexpr size_t kLargestEnvelope = Sealer::kLargestEnvelope;
static_assert(1 + kStateSize + kLargestEnvelope <= kSlotSize);
static_assert(1 + kRootSize + kLargestEnvelope <= 2 * kSlotSize);

// Numbers that no keyspace has, so that entries and history have MAC keys of their own.
constexpr uint32_t kEntries = 0;
constexpr uint32_t kHistoryNumber = UINT32_MAX;

constexpr std::string_view kAnchorLabel = "Todana anchor 1";

// The most bytes that the file grows by at once, for numbers of keyspaces that were reserved and never used. No store
// reserves a million of them in a session, so a higher number comes from a damaged catalog.
constexpr int64_t kLargestGap = static_cast<int64_t>(kSlotSize) << 20;

// The maximum number of seals that a killed session may have made after its last commit. Half of them are for a commit
// that was being written.
constexpr uint64_t kMostUncounted = 1 << 24;

int64_t offsetOf(uint32_t id) {
  return id == kRoot ? 0 : static_cast<int64_t>(kSlotSize) * (static_cast<int64_t>(id) + 1);
}

size_t capacityOf(uint32_t id) { return (id == kRoot ? 2 : 1) * kSlotSize - 1; }

SealedPlace place(uint32_t id) { return {SealedKind::state, id, {nullptr, 0}}; }

void append(std::string &content, uint64_t number) {
  content.append(reinterpret_cast<const char *>(&number), sizeof number);
}

template <size_t size> void append(std::string &content, const std::array<uint8_t, size> &bytes) {
  content.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

void toggle(KeyspaceDigest::Sum &sum, const KeyspaceDigest::Sum &term) {
  for (size_t index = 0; index < sum.size(); index++) sum[index] ^= term[index];
}

}  // namespace

void DigestFile::setKeys(const std::shared_ptr<const KeyRing> &ring) {
  ring_ = ring;
  sealer_ = ring ? std::make_unique<Sealer>(ring) : nullptr;
  useGeneration(0);
}

void DigestFile::useGeneration(uint32_t keyGeneration) {
  entryMac_.emplace(ring_.get(), keyGeneration, kEntries);
  historyMac_.emplace(ring_.get(), keyGeneration, kHistoryNumber);
  root_.keyGeneration = keyGeneration;
  isSealed_.store(keyGeneration != 0, std::memory_order_release);
}

// MARK: Reading

void DigestFile::open(FileGroup &group, bool mayBePlain) {
  if (group.commitNumber() == 0) return useGeneration(ring_ ? ring_->keyGeneration() : 0);  // the first commit makes the file
  file_ = group.openFile(kFileNumber, kFileName);
  file_->repairUpTo(kLargestFile);
  FileGroup::ReadLock lock(group);
  hadRoot_ = readRoot(mayBePlain);
  if (!hadRoot_) useGeneration(ring_ ? ring_->keyGeneration() : 0);
}

void DigestFile::load(FileGroup &group, const std::vector<Keyspace *> &keyspaces) {
  if (!file_) return;
  FileGroup::ReadLock lock(group);
  bool isConsistent = hadRoot_ && root_.commitNumber == group.commitNumber() &&
                      root_.history == history(group, group.commitNumber());
  Sum entries{};
  for (Keyspace *keyspace : keyspaces) {
    const std::optional<std::string> content = read(keyspace->id, kStateSize);
    if (content) {
      std::memcpy(&keyspace->contents.count, content->data() + 1, 8);
      std::memcpy(keyspace->contents.digest.data(), content->data() + 9, DigestEntry::kDigestSize);
      std::memcpy(&keyspace->contents.keyGeneration, content->data() + 9 + DigestEntry::kDigestSize, 4);
    }
    if (!content || !mayBelong(keyspace->contents.keyGeneration)) {
      keyspace->contents.keyGeneration = root_.keyGeneration;
      isConsistent = false;
    }
    keyspace->stateTerm = term(*keyspace);
    toggle(entries, keyspace->stateTerm);
  }
  isConsistent_ = isConsistent && entries == root_.entries;
  countSeals();
}

// Tests whether a keyspace may have this generation. A plain keyspace, or one under keys that no longer exist, comes
// from an older state of the store.
bool DigestFile::mayBelong(uint32_t keyGeneration) const {
  return keyGeneration == 0 ? !ring_ || mayBePlain_ : ring_ && ring_->has(keyGeneration);
}

bool DigestFile::readRoot(bool mayBePlain) {
  mayBePlain_ = mayBePlain;
  if (ring_) {
    useGeneration(ring_->keyGeneration());
    if (const std::optional<std::string> content = read(kRoot, kRootSize)) return takeRoot(*content);
    if (!mayBePlain) return false;
  }
  useGeneration(0);
  const std::optional<std::string> content = read(kRoot, kRootSize);
  return content && takeRoot(*content);
}

bool DigestFile::takeRoot(const std::string &content) {
  uint32_t keyGeneration;
  std::memcpy(&keyGeneration, content.data() + 54, 4);
  if ((keyGeneration != 0) != isSealed() || !mayBelong(keyGeneration)) return false;
  std::memcpy(&root_.commitNumber, content.data() + 1, 8);
  std::memcpy(root_.entries.data(), content.data() + 9, root_.entries.size());
  std::memcpy(root_.history.data(), content.data() + 25, root_.history.size());
  root_.isOpen = content[41] != 0;
  std::memcpy(&root_.epoch, content.data() + 42, 4);
  std::memcpy(&root_.sealCount, content.data() + 46, 8);
  useGeneration(keyGeneration);
  return true;
}

// Passes the count of seals to the key ring. Ignores the count of an earlier epoch: then nothing was committed under
// the current epoch yet.
void DigestFile::countSeals() {
  if (!isSealed()) return;
  uint64_t count = root_.epoch == sealer_->currentEpoch() ? root_.sealCount : 0;
  notedSeals_ = count;
  if (root_.isOpen) count += kMostUncounted;
  sealer_->ring().raiseSealCount(count);
}

bool DigestFile::hasUncountedSeals() const {
  if (!isSealed()) return false;
  const uint64_t count = sealer_->ring().sealCount(), noted = notedSeals_.load(std::memory_order_relaxed);
  return count > noted && count - noted > kMostUncounted / 2;
}

// Returns the content of a slot; nothing if it is empty, or was not written by the store.
std::optional<std::string> DigestFile::read(uint32_t id, size_t count) {
  char slot[2 * kSlotSize];
  const size_t capacity = capacityOf(id);
  if (!file_->read(offsetOf(id), slot, 1 + capacity)) return std::nullopt;
  const size_t length = static_cast<uint8_t>(slot[0]);
  if (length > capacity) return std::nullopt;
  std::string content(slot + 1, length);
  if (isSealed()) {
    uint8_t opened[2 * kSlotSize];
    const Sealer::Opened outcome = sealer_->open(place(id), {content.data(), content.size()}, opened);
    if (outcome.outcome != Sealer::Outcome::opened) return std::nullopt;
    content.assign(reinterpret_cast<const char *>(opened) + outcome.offset, outcome.count);
  }
  if (content.size() != count || content[0] != kVersion) return std::nullopt;
  return content;
}

// MARK: Writing

void DigestFile::settle() {
  hasStored_ = false;
  isNew_ = false;
  undoTerms_.clear();
}

void DigestFile::storeClosed(FileGroup &group) { store(group, {}, false); }

void DigestFile::store(FileGroup &group, const std::vector<Keyspace *> &changed, bool isOpen) {
  undoRoot_ = root_;
  wasConsistent_ = isConsistent_;
  hasStored_ = true;
  if (!file_) {
    file_ = group.createFile(kFileNumber, kFileName);
    isNew_ = true;
  }
  // Draw all nonces in one call, because a call costs more than sealing.
  std::vector<uint8_t> nonces;
  if (isSealed()) {
    nonces.resize((changed.size() + 1) * kNonceSize);
    sealer_->ring().drawNonces(nonces.data(), changed.size() + 1);
  }
  const uint8_t *nonce = nonces.data();
  for (Keyspace *keyspace : changed) {
    undoTerms_.push_back({keyspace, keyspace->stateTerm});
    toggle(root_.entries, keyspace->stateTerm);
    keyspace->stateTerm = keyspace->isDropped ? Sum{} : term(*keyspace);
    toggle(root_.entries, keyspace->stateTerm);
    if (keyspace->isDropped) {
      erase(keyspace->id);
      continue;
    }
    std::string content{kVersion};
    append(content, keyspace->contents.count);
    append(content, keyspace->contents.digest);
    content.append(reinterpret_cast<const char *>(&keyspace->contents.keyGeneration), 4);
    write(keyspace->id, content, nonce);
    if (isSealed()) nonce += kNonceSize;
  }
  const FileGroup::Applying applying = group.applying();
  root_.commitNumber = applying.commitNumber;
  toggle(root_.history, historyTerm(applying.commitNumber, applying.batchID));
  if (root_.commitNumber > kHistory) toggle(root_.history, historyTerm(group, root_.commitNumber - kHistory));
  writeRoot(isOpen, nonce);
}

void DigestFile::storeAll(FileGroup &group, const std::vector<Keyspace *> &keyspaces, uint32_t keyGeneration) {
  const Root old = root_;
  if (keyGeneration != root_.keyGeneration) useGeneration(keyGeneration);
  store(group, keyspaces);
  undoRoot_ = old;
  root_.entries = {};
  for (const Keyspace *keyspace : keyspaces) toggle(root_.entries, keyspace->stateTerm);
  root_.history = history(group, group.commitNumber());
  toggle(root_.history, historyTerm(group.applying().commitNumber, group.applying().batchID));
  if (root_.commitNumber > kHistory) toggle(root_.history, historyTerm(group, root_.commitNumber - kHistory));
  isConsistent_ = true;
  uint8_t nonce[kNonceSize];
  if (isSealed()) sealer_->ring().drawNonces(nonce, 1);
  writeRoot(true, nonce);
}

void DigestFile::writeRoot(bool isOpen, const uint8_t *nonce) {
  root_.isOpen = isOpen && isSealed();
  root_.epoch = 0;
  if (isSealed()) {
    // The order matters: if a new epoch begins in between, its count is too high rather than too low.
    root_.sealCount = sealer_->ring().sealCount();
    root_.epoch = sealer_->currentEpoch();
    notedSeals_ = root_.sealCount;
  }
  std::string content{kVersion};
  append(content, root_.commitNumber);
  append(content, root_.entries);
  append(content, root_.history);
  content.push_back(root_.isOpen ? 1 : 0);
  content.append(reinterpret_cast<const char *>(&root_.epoch), 4);
  append(content, root_.sealCount);
  content.append(reinterpret_cast<const char *>(&root_.keyGeneration), 4);
  write(kRoot, content, nonce);
}

void DigestFile::write(uint32_t id, const std::string &content, const uint8_t *nonce) {
  uint8_t slot[2 * kSlotSize] = {};
  size_t length = content.size(), offset = 1;
  if (isSealed()) {
    const uint32_t epoch = sealer_->currentEpoch();
    const size_t header = Sealer::headerSize(epoch);
    length += header + Sealer::kTrailerSize;
    offset += header;
    std::memcpy(slot + offset, content.data(), content.size());
    sealer_->seal(place(id), kSealedFormat, epoch, nonce, slot + 1, length);
  } else {
    std::memcpy(slot + offset, content.data(), content.size());
  }
  slot[0] = static_cast<uint8_t>(length);
  const int64_t end = offsetOf(id) + static_cast<int64_t>(capacityOf(id)) + 1;
  if (file_->size() < end) {
    if (end - file_->size() > kLargestGap) {
      throw Failure(
        TDN_DAMAGED, "the catalog is damaged: the number of the new keyspace is " + std::to_string(id) +
                       ", but the store has states of only " + std::to_string(file_->size() / kSlotSize) + " keyspaces");
    }
    file_->grow(pageCeiling(end));
  }
  // Write the whole slot, so that no remains of the old content are left.
  file_->write(offsetOf(id), slot, 1 + capacityOf(id));
}

void DigestFile::erase(uint32_t id) {
  if (file_->size() < offsetOf(id) + static_cast<int64_t>(kSlotSize)) return;
  const char slot[kSlotSize] = {};
  file_->write(offsetOf(id), slot, sizeof slot);
}

void DigestFile::undo() {
  if (!hasStored_) return;
  useGeneration(undoRoot_.keyGeneration);
  root_ = undoRoot_;
  isConsistent_ = wasConsistent_;
  notedSeals_ = root_.sealCount;
  for (const OldTerm &old : undoTerms_) old.keyspace->stateTerm = old.term;
  if (isNew_) file_ = nullptr;
  settle();
}

// MARK: Terms

DigestFile::Sum DigestFile::term(const Keyspace &keyspace) {
  // Include the number of the file: an older catalog has another one.
  const uint32_t fileNumber = keyspace.fileNumber;
  uint8_t message[3 * KeyspaceDigestMac::kBlockSize] = {};
  std::memcpy(message, &keyspace.id, 4);
  std::memcpy(message + 4, &fileNumber, 4);
  std::memcpy(message + 8, &keyspace.contents.count, 8);
  std::memcpy(message + 16, keyspace.contents.digest.data(), DigestEntry::kDigestSize);
  std::memcpy(message + 32, &keyspace.contents.keyGeneration, 4);
  return entryMac_->value(message, sizeof message);
}

DigestFile::Sum DigestFile::historyTerm(uint64_t commitNumber, const uint8_t *batchID) {
  // Half of the random id is enough to distinguish two commits with one number.
  Sum term;
  std::memcpy(term.data(), &commitNumber, 8);
  std::memcpy(term.data() + 8, batchID, 8);
  historyMac_->replaceEach(term.data(), 1);
  return term;
}

DigestFile::Sum DigestFile::historyTerm(const FileGroup &group, uint64_t commitNumber) {
  const std::optional<CommitRing::BatchID> id = group.batchID(commitNumber);
  return id ? historyTerm(commitNumber, id->data()) : Sum{};
}

DigestFile::Sum DigestFile::history(const FileGroup &group, uint64_t upTo) {
  Sum sum{};
  for (uint64_t number = upTo; number > 0 && number + kHistory > upTo; number--) {
    toggle(sum, historyTerm(group, number));
  }
  return sum;
}

// MARK: Anchors

// Returns the code of an anchor. A batch's id is random, so it identifies the commit; the history in the root confirms
// the ids. No key is involved, so an anchor stays valid when keys are rotated.
DigestFile::Sum DigestFile::code(uint64_t commitNumber, const CommitRing::BatchID &batchID) {
  std::string message(kAnchorLabel);
  append(message, commitNumber);
  append(message, batchID);
  const Hash hash = sha256({message.data(), message.size()});
  Sum code;
  std::copy(hash.begin(), hash.begin() + code.size(), code.begin());
  return code;
}

tdn_anchor DigestFile::anchor(const FileGroup &group) {
  tdn_anchor anchor{group.commitNumber(), {}};
  if (anchor.commit_number == 0) return anchor;
  if (const auto id = group.batchID(anchor.commit_number)) {
    const Sum code = this->code(anchor.commit_number, *id);
    std::memcpy(anchor.code, code.data(), code.size());
  }
  return anchor;
}

void DigestFile::require(const FileGroup &group, const tdn_anchor &expected) {
  const uint64_t newest = group.commitNumber();
  if (newest < expected.commit_number) {
    throw Failure(
      TDN_ROLLED_BACK, "the store is older than expected: its last commit is " + std::to_string(newest) + ", not " +
                         std::to_string(expected.commit_number));
  }
  if (!isConsistent_) {
    throw Failure(TDN_DIVERGED, "files of the store do not match: some are older, or belong to another store");
  }
  if (expected.commit_number == 0) return;
  if (newest - expected.commit_number >= kHistory) {
    throw Failure(
      TDN_DIVERGED, "the store has had " + std::to_string(newest - expected.commit_number) +
                      " commits since the expected one, but remembers only the last " + std::to_string(kHistory));
  }
  const auto id = group.batchID(expected.commit_number);
  if (!id || std::memcmp(code(expected.commit_number, *id).data(), expected.code, sizeof expected.code) != 0) {
    throw Failure(TDN_DIVERGED, "the store has another commit in the place of the expected one");
  }
}

}  // namespace todana
