// Fuzzes the decoders of encrypted data: the key file and the sealed envelope. An attacker without a key can write any
// bytes there.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "../../Sources/CSealing/Keys/KeyFile.h"
#include "../../Sources/CSealing/Primitives/CryptoError.h"
#include "../../Sources/CSealing/Sealer.h"
#include "CFuzzTargets.h"
#include "Input.h"
#include "SampleStore.h"

namespace todana::fuzzing {

namespace {

constexpr uint8_t kSecret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
const Secret kRawKey{SecretKind::rawKey, {kSecret, sizeof kSecret}};

const StoreID kStore{7, 7, 7};

// Calls `body`, and returns whether it refuses. A refusal must have a code and a message.
template <class Body> bool refuses(Body body) {
  try {
    body();
    return false;
  } catch (const SealingError &error) {
    if (error.code() < TDS_WRONG_SECRET || error.code() > TDS_NO_MEMORY) found("a refusal has no code");
    if (error.what()[0] == 0) found("a refusal has no message");
    return true;
  }
}

// Returns a key file with slots of all kinds. Its passphrase slot uses a low scrypt cost.
const std::string &sampleKeyFile() {
  static const std::string sample = [] {
    const SecretBytes master = SecretBytes::random(KeyFile::kMasterSize);
    KeyFile file(kStore, DataCipher::aes128);
    ScryptCost cost;
    cost.log2N = 10;
    file.addSlot({SecretKind::passphrase, {"a passphrase", 12}}, master, cost, 1);
    file.addSlot(kRawKey, master, cost, 2);
    file.addSlot({SecretKind::recoveryKey, {"sixteen letters.", 16}}, master, cost, 3);
    for (const DataKey &key : newKeyGeneration(1)) file.addKey(key, master);
    const std::vector<uint8_t> bytes = file.bytes();
    return std::string(bytes.begin(), bytes.end());
  }();
  return sample;
}

// Recomputes the check at `end - 8`, over the bytes from `start` up to there.
void makeRight(std::string &content, size_t start, size_t end) {
  if (end > content.size()) return;
  const Hash hash = sha256({content.data() + start, end - 8 - start});
  std::memcpy(&content[end - 8], hash.data(), 8);
}

void makeChecksRight(std::string &content) {
  constexpr size_t kHeader = 64, kSlot = 144;
  makeRight(content, 0, kHeader);
  const size_t slots = content.size() < kHeader ? 0 : static_cast<uint8_t>(content[14]);
  for (size_t slot = 0; slot < slots; slot++) makeRight(content, kHeader + slot * kSlot, kHeader + (slot + 1) * kSlot);
}

void unlock(const KeyFile &file) {
  std::optional<KeyFile::Unlocked> unlocked;
  refuses([&] { unlocked = file.unlock(kRawKey); });
  if (!unlocked) return;
  refuses([&] {
    const std::vector<DataKey> keys = file.keys(unlocked->master);
    KeyRing ring(file.storeID(), file.cipher(), keys);
    if (!ring.epochKey(ring.currentEpoch())) found("there is no key of the current epoch");
  });
}

// Tests whether a fuzzer has time to unlock the file: it takes little work, or so much that it is refused at once.
bool isCheap(const KeyFile &file) {
  double work = 0;
  for (const KeyFile::Slot &slot : file.slots()) {
    if (slot.isDamaged() || !slot.usesScrypt) continue;
    work += std::min(1e12, static_cast<double>(uint64_t{1} << std::min<int>(slot.cost.log2N, 40)) *
                             static_cast<double>(slot.cost.r) * static_cast<double>(slot.cost.p));
  }
  return work <= (1 << 18) || work > (1u << 28);
}

std::shared_ptr<const KeyRing> sampleRing() {
  static const std::shared_ptr<const KeyRing> ring = [] {
    return std::make_shared<const KeyRing>(kStore, DataCipher::aes128, newKeyGeneration(1));
  }();
  return ring;
}

}  // namespace

}  // namespace todana::fuzzing

using namespace todana;
using namespace todana::fuzzing;

void tdn_fuzz_key_file(const uint8_t *bytes, size_t byte_count) {
  Input input(bytes, byte_count);
  const uint8_t how = input.take<uint8_t>();
  std::string content = how & 1 ? sampleKeyFile() : std::string();
  if (how & 1) {
    while (!input.isAtEnd()) {
      const size_t offset = input.take<uint16_t>();
      const std::string patch = input.takeBytes(input.take<uint8_t>());
      if (offset + patch.size() > content.size()) content.resize(offset + patch.size());
      content.replace(offset, patch.size(), patch);
    }
    if (how & 2) content.resize(content.size() * (how >> 4) / 16);
  } else {
    content = input.takeBytes(SIZE_MAX);
  }
  if (how & 4) makeChecksRight(content);
  refuses([&] {
    KeyFile file = KeyFile::parse({content.data(), content.size()});
    const std::vector<uint8_t> written = file.bytes();
    if (written.size() > KeyFile::kMostBytes) found("a file of keys is larger than any");
    const KeyFile again = KeyFile::parse({written.data(), written.size()});
    if (again.bytes() != written) found("what is written is not what is read");
    if (!isCheap(file)) return;
    unlock(file);
    refuses([&] { file.unlock({SecretKind::passphrase, {"a passphrase", 12}}); });
    // Removes a slot, which needs no secret.
    const std::vector<KeyFile::Slot> slots = file.slots();
    if (!slots.empty()) refuses([&] { file.removeSlot(slots.front().id); });
    if (file.slots().size() > slots.size()) found("removing has added a slot");
  });
}

void tdn_fuzz_envelope(const uint8_t *bytes, size_t byte_count) {
  Input input(bytes, byte_count);
  const uint8_t how = input.take<uint8_t>();
  const std::string key = input.takeBytes(input.take<uint8_t>());
  const SealedPlace place{static_cast<SealedKind>(1 + how % 6), how, {key.data(), key.size()}};
  const std::string rest = input.takeBytes(SIZE_MAX);
  Sealer sealer(sampleRing());
  std::vector<uint8_t> output(rest.size());
  // Bytes that no holder of the key has sealed must not open.
  if (sealer.open(place, {rest.data(), rest.size()}, output.data()).outcome == Sealer::Outcome::opened) {
    found("something was opened that was not sealed");
  }
  std::vector<uint8_t> sealed = sealer.seal(place, {rest.data(), rest.size()});
  output.resize(sealed.size());
  Sealer::Opened opened = sealer.open(place, {sealed.data(), sealed.size()}, output.data());
  if (opened.outcome != Sealer::Outcome::opened || opened.count != rest.size() ||
      std::memcmp(output.data() + opened.offset, rest.data(), rest.size()) != 0) {
    found("what was sealed does not open");
  }
  // Sealed bytes must not open in another place, nor after a change.
  const SealedPlace other{place.kind, place.keyspace + 1, place.key};
  if (sealer.open(other, {sealed.data(), sealed.size()}, output.data()).outcome == Sealer::Outcome::opened) {
    found("what was sealed opens in another place");
  }
  sealed[how * 257 % sealed.size()] ^= static_cast<uint8_t>(1 << how % 8);
  opened = sealer.open(place, {sealed.data(), sealed.size()}, sealed.data());
  if (opened.outcome == Sealer::Outcome::opened) found("what was changed opens");
}

void tdn_fuzz_key_file_seeds(void *context, void (*visit)(void *, const uint8_t *, size_t)) {
  const auto add = [&](uint8_t how, const std::string &rest) {
    const std::string seed = std::string{static_cast<char>(how)} + rest;
    visit(context, reinterpret_cast<const uint8_t *>(seed.data()), seed.size());
  };
  const std::string &sample = sampleKeyFile();
  add(0, sample);
  add(1, {});
  add(1 | 2 | 0x80, {});
  for (size_t offset = 0; offset + 16 <= sample.size(); offset += 24) {
    std::string patch{static_cast<char>(offset), static_cast<char>(offset >> 8), 16};
    add(1 | 4, patch + sample.substr(offset, 16));
  }
}
