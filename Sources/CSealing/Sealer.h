// Seals and opens the data of a store (docs/formats/sealed-envelope.md):
//
//   format byte | epoch (varint) | nonce 12 | ciphertext | tag 16 | kept token 8
//
// A record that is sealed again with unchanged content keeps its token, which follows the tag; other records have no
// token there. Data that are sealed for one place can be opened only for that place. A sealer has its own contexts with
// scheduled keys, so it needs no lock; it is used by one thread at a time. Any number of sealers may share a key ring.
#pragma once

#include <memory>
#include <vector>

#include "EnvelopeFormat.h"
#include "Keys/KeyRing.h"
#include "Primitives/AesGcm.h"

namespace todana {

// The kind of sealed data, which is part of the associated data.
enum class SealedKind : uint8_t {
  record = 1,
  namedBuffer = 2,
  indexNode = 3,
  textPage = 4,
  catalog = 5,
  state = 6,
  log = 7,
  treeEntry = 8,
};

constexpr size_t kTokenSize = 8;

// The place that sealed data are bound to.
struct SealedPlace {
  SealedKind kind;
  uint32_t keyspace;
  ByteView key;
};

class Sealer {
 public:
  explicit Sealer(std::shared_ptr<const KeyRing> ring);

  const KeyRing &ring() const { return *ring_; }
  uint32_t currentEpoch() const { return ring_->currentEpoch(); }

  // Returns the number of bytes before the plaintext. `kTrailerSize` bytes follow it.
  static size_t headerSize(uint32_t epoch);
  static constexpr size_t kTrailerSize = kTagSize;
  static constexpr size_t kLargestEnvelope = 1 + 5 + kNonceSize + kTagSize;
  static constexpr size_t kLeastSize = 1 + 1 + kNonceSize + kTagSize;

  // Seals in place. `bytes` has room for the header, then the plaintext, then room for the trailer. If the format says
  // so, the kept token follows the trailer. The nonce must be a new one of the key ring.
  void seal(
    const SealedPlace &place, uint8_t format, uint32_t epoch, const uint8_t *nonce, uint8_t *bytes, size_t count);
  // Seals a copy of the plaintext with a new nonce.
  std::vector<uint8_t> seal(const SealedPlace &place, ByteView plaintext);
  // Seals a copy of the plaintext, with a new nonce, for a record that keeps its token.
  std::vector<uint8_t> sealKept(const SealedPlace &place, uint8_t format, ByteView plaintext, const uint8_t *token);

  enum class Outcome { opened, notSealed, unknownEpoch, notAuthentic };
  struct Opened {
    Outcome outcome;
    size_t offset = 0;  // of the plaintext
    size_t count = 0;
  };
  // Opens into `output`, which may be the envelope itself; the plaintext begins at `output + offset`.
  Opened open(const SealedPlace &place, ByteView bytes, uint8_t *output);

  // Returns the epoch of an envelope; 0 if the bytes are not an envelope.
  static uint32_t epoch(ByteView bytes);

 private:
  struct Context {
    uint32_t epoch;
    std::unique_ptr<AesGcm> cipher;
  };
  static constexpr size_t kPrefixSize = 6 + 1 + 1 + 16 + 4 + 4 + 1 + 2;
  static constexpr size_t kMostKey = 1024;

  AesGcm *context(uint32_t epoch);
  ByteView associated(const SealedPlace &place, uint8_t format, uint32_t epoch, const uint8_t *token);

  const std::shared_ptr<const KeyRing> ring_;
  std::vector<Context> contexts_;  // the most recently used one first
  uint8_t associated_[kPrefixSize + kMostKey + kTokenSize];
};

}  // namespace todana
