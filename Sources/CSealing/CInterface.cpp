#include <algorithm>
#include <exception>
#include <new>

#include <openssl/crypto.h>

#include "CSealingHandles.h"

using todana::ByteView;
using todana::SealedKind;
using todana::SealedPlace;
using todana::Sealer;

namespace {

// A row id as a key: most significant byte first, so that the order of bytes is the order of row ids.
struct RowBytes {
  uint8_t bytes[8];
  explicit RowBytes(uint64_t row) {
    for (int index = 0; index < 8; index++) bytes[index] = static_cast<uint8_t>(row >> (56 - 8 * index));
  }
  operator ByteView() const { return {bytes, sizeof bytes}; }
};

template <class Body> bool guarded(Body body) {
  try {
    body();
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

int32_t open(
  tds_sealer *sealer, const SealedPlace &place, const uint8_t *bytes, size_t byteCount, uint8_t *output,
  size_t *offset, size_t *plainCount) {
  try {
    const Sealer::Opened opened = sealer->sealer.open(place, {bytes, byteCount}, output);
    *offset = opened.offset;
    *plainCount = opened.count;
    switch (opened.outcome) {
      case Sealer::Outcome::opened: return TDS_OPENED;
      case Sealer::Outcome::notSealed: return TDS_NOT_SEALED;
      case Sealer::Outcome::unknownEpoch: return TDS_UNKNOWN_EPOCH;
      case Sealer::Outcome::notAuthentic: return TDS_NOT_AUTHENTIC;
    }
  } catch (const std::exception &) {
  }
  return TDS_FAILED;
}

}  // namespace

tds_key_ring *tds_key_ring_retain(const tds_key_ring *ring) {
  return new (std::nothrow) tds_key_ring{ring->ring};
}

int32_t tds_key_ring_cipher(const tds_key_ring *ring) { return static_cast<int32_t>(ring->ring->cipher()); }

void tds_key_ring_release(tds_key_ring *ring) { delete ring; }

uint32_t tds_key_ring_epoch(const tds_key_ring *ring) { return ring->ring->currentEpoch(); }

bool tds_is_padded(uint8_t format) { return todana::isPadded(format); }

tds_sealer *tds_sealer_create(const tds_key_ring *ring) {
  try {
    return new tds_sealer(ring->ring);
  } catch (const std::exception &) {
    return nullptr;
  }
}

void tds_sealer_free(tds_sealer *sealer) { delete sealer; }

size_t tds_header_size(uint32_t epoch) { return Sealer::headerSize(epoch); }

bool tds_draw_nonces(const tds_key_ring *ring, uint8_t *nonces, size_t count) {
  return guarded([&] { ring->ring->drawNonces(nonces, count); });
}

bool tds_seal_row(
  tds_sealer *sealer, uint32_t keyspace, uint64_t row, uint32_t epoch, bool padded, const uint8_t *nonce,
  uint8_t *bytes, size_t byteCount) {
  return guarded([&] {
    const RowBytes key(row);
    sealer->sealer.seal(
      {SealedKind::record, keyspace, key}, todana::sealedFormat(false, padded), epoch, nonce, bytes, byteCount);
  });
}

bool tds_seal_key(
  tds_sealer *sealer, int32_t kind, uint32_t keyspace, const uint8_t *key, size_t keyLength, uint32_t epoch,
  bool padded, const uint8_t *nonce, uint8_t *bytes, size_t byteCount) {
  return guarded([&] {
    sealer->sealer.seal(
      {static_cast<SealedKind>(kind), keyspace, {key, keyLength}}, todana::sealedFormat(false, padded), epoch, nonce, bytes, byteCount);
  });
}

int32_t tds_open_row(
  tds_sealer *sealer, uint32_t keyspace, uint64_t row, const uint8_t *bytes, size_t byteCount, uint8_t *output,
  size_t *offset, size_t *plainCount) {
  const RowBytes key(row);
  return open(sealer, {SealedKind::record, keyspace, key}, bytes, byteCount, output, offset, plainCount);
}

int32_t tds_open_key(
  tds_sealer *sealer, int32_t kind, uint32_t keyspace, const uint8_t *key, size_t keyLength, const uint8_t *bytes,
  size_t byteCount, uint8_t *output, size_t *offset, size_t *plainCount) {
  return open(
    sealer, {static_cast<SealedKind>(kind), keyspace, {key, keyLength}}, bytes, byteCount, output, offset,
    plainCount);
}

bool tds_sha256(const uint8_t *bytes, size_t byteCount, uint8_t *hash) {
  static_assert(TDS_HASH_SIZE == todana::kHashSize);
  return guarded([&] {
    const todana::Hash made = todana::sha256({bytes, byteCount});
    std::copy(made.begin(), made.end(), hash);
  });
}

tds_hash *tds_hash_create(void) {
  try {
    return new tds_hash();
  } catch (const std::exception &) {
    return nullptr;
  }
}

void tds_hash_free(tds_hash *hash) { delete hash; }

bool tds_hash_add(tds_hash *hash, const uint8_t *bytes, size_t byteCount) {
  return guarded([&] { hash->hash.add({bytes, byteCount}); });
}

bool tds_hash_finish(tds_hash *hash, uint8_t *bytes) {
  return guarded([&] {
    const todana::Hash made = hash->hash.finish();
    std::copy(made.begin(), made.end(), bytes);
  });
}

void tds_wipe(void *bytes, size_t byteCount) {
  if (bytes) OPENSSL_cleanse(bytes, byteCount);
}

int32_t tds_secret_memory(void) {
  switch (todana::secretMemory()) {
    case todana::SecretMemory::locked: return TDS_MEMORY_LOCKED;
    case todana::SecretMemory::unlocked: return TDS_MEMORY_UNLOCKED;
    case todana::SecretMemory::ordinary: return TDS_MEMORY_ORDINARY;
  }
  return TDS_MEMORY_ORDINARY;
}
