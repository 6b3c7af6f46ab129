// The C functions that create and open keys, and those that hide names.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>

#include "CSealingHandles.h"
#include "Keys/KeyFile.h"
#include "Primitives/CryptoError.h"

using todana::KeyFile;
using todana::KeyRing;
using todana::SecretBytes;
using todana::StoreID;

namespace {

template <class Body> int32_t codeOf(Body body) {
  try {
    body();
    return TDS_OK;
  } catch (const todana::SealingError &error) {
    return error.code();
  } catch (const std::bad_alloc &) {
    return TDS_NO_MEMORY;
  } catch (const std::exception &) {
    return TDS_LIBRARY;
  }
}

StoreID storeIDOf(const uint8_t *bytes) {
  StoreID id;
  std::copy(bytes, bytes + id.size(), id.begin());
  return id;
}

todana::Secret secretOf(const tds_secret &secret) {
  if (secret.kind < TDS_SECRET_PASSPHRASE || secret.kind > TDS_SECRET_RECOVERY_KEY) {
    throw todana::SealingError(TDS_INVALID, "unknown kind of secret");
  }
  return {static_cast<todana::SecretKind>(secret.kind), {secret.bytes, secret.byte_count}};
}

uint64_t nowMilliseconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

}  // namespace

int32_t tds_keys_create(
  const uint8_t *storeID, const tds_secret *secret, int32_t cipher, uint8_t log2n, uint8_t **file, size_t *byteCount,
  tds_key_ring **ring) {
  *file = nullptr;
  *ring = nullptr;
  return codeOf([&] {
    const todana::DataCipher kind = cipher == 2 ? todana::DataCipher::aes256 : todana::DataCipher::aes128;
    const SecretBytes master = SecretBytes::random(KeyFile::kMasterSize);
    const std::vector<todana::DataKey> keys = todana::newKeyGeneration(1);
    KeyFile made(storeIDOf(storeID), kind);
    todana::ScryptCost cost;
    if (log2n > 0) cost.log2N = log2n;
    made.addSlot(secretOf(*secret), master, cost, nowMilliseconds());
    for (const todana::DataKey &key : keys) made.addKey(key, master);
    auto owned = std::make_unique<tds_key_ring>(
      tds_key_ring{std::make_shared<KeyRing>(made.storeID(), kind, keys)});
    const std::vector<uint8_t> bytes = made.bytes();
    uint8_t *const copy = static_cast<uint8_t *>(std::malloc(bytes.size()));
    if (!copy) throw std::bad_alloc();
    std::copy(bytes.begin(), bytes.end(), copy);
    *file = copy;
    *byteCount = bytes.size();
    *ring = owned.release();
  });
}

int32_t tds_keys_open(
  const uint8_t *storeID, const tds_secret *secret, const uint8_t *file, size_t byteCount, tds_key_ring **ring) {
  *ring = nullptr;
  return codeOf([&] {
    const KeyFile parsed = KeyFile::parse({file, byteCount});
    if (parsed.storeID() != storeIDOf(storeID)) {
      throw todana::SealingError(TDS_DAMAGED_KEYS, "the file of keys belongs to another store");
    }
    const KeyFile::Unlocked unlocked = parsed.unlock(secretOf(*secret));
    auto owned = std::make_unique<tds_key_ring>(tds_key_ring{
      std::make_shared<KeyRing>(parsed.storeID(), parsed.cipher(), parsed.keys(unlocked.master))});
    *ring = owned.release();
  });
}

void tds_bytes_free(uint8_t *bytes) { std::free(bytes); }

bool tds_name_code(const tds_key_ring *ring, const uint8_t *bytes, size_t byteCount, uint8_t *code) {
  static_assert(TDS_CODE_SIZE == KeyRing::kNameKeySize);
  return codeOf([&] {
    const KeyRing::NameKey key = ring->ring->nameKey(ring->ring->keyGeneration(), {bytes, byteCount});
    std::copy(key.begin(), key.end(), code);
  }) == TDS_OK;
}

bool tds_seal_name(const tds_key_ring *ring, const uint8_t *name, size_t byteCount, uint8_t *sealed) {
  return codeOf([&] {
    const std::vector<uint8_t> made = ring->ring->sealName(ring->ring->keyGeneration(), {name, byteCount});
    std::copy(made.begin(), made.end(), sealed);
  }) == TDS_OK;
}

bool tds_open_name(const tds_key_ring *ring, const uint8_t *sealed, size_t byteCount, uint8_t *name) {
  bool isOpen = false;
  const int32_t code = codeOf([&] {
    if (byteCount <= TDS_CODE_SIZE) return;
    const SecretBytes opened = ring->ring->openName(ring->ring->keyGeneration(), {sealed, byteCount});
    if (opened.isEmpty()) return;
    std::copy(opened.data(), opened.data() + opened.size(), name);
    isOpen = true;
  });
  return code == TDS_OK && isOpen;
}
