// Seals and opens what a store writes (docs/formats/sealed-envelope.md):
//
//   format byte | epoch (varint) | nonce 12 | ciphertext | tag 16 | kept token 8
//
// A record that is sealed again with its content unchanged keeps its token, behind the tag; others have none there.
// What is sealed for one place opens in that place only. Used by one thread at a time: contexts with scheduled keys are
// its own, so nothing is locked. Any number of sealers may share a key ring.
#pragma once

#include <memory>
#include <vector>

#include "EnvelopeFormat.h"
#include "Keys/KeyRing.h"
#include "Primitives/AesGcm.h"

namespace todana {

// What a sealed thing is; a part of what it is bound to.
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

// Where a sealed thing stands.
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

  // Bytes before and behind the plaintext.
  static size_t headerSize(uint32_t epoch);
  static constexpr size_t kTrailerSize = kTagSize;
  static constexpr size_t kLargestEnvelope = 1 + 5 + kNonceSize + kTagSize;
  static constexpr size_t kLeastSize = 1 + 1 + kNonceSize + kTagSize;

  // Seals in place: `bytes` has room for the header, then the plaintext, then room for the trailer; behind it stands the
  // token that is kept, where the format says so. The nonce is a fresh one of the key ring's.
  void seal(
    const SealedPlace &place, uint8_t format, uint32_t epoch, const uint8_t *nonce, uint8_t *bytes, size_t count);
  // The same with memory and a nonce of its own.
  std::vector<uint8_t> seal(const SealedPlace &place, ByteView plaintext);
  // The same for a record that is to keep the token that it has had.
  std::vector<uint8_t> sealKept(const SealedPlace &place, uint8_t format, ByteView plaintext, const uint8_t *token);

  enum class Outcome { opened, notSealed, unknownEpoch, notAuthentic };
  struct Opened {
    Outcome outcome;
    size_t offset = 0;  // of the plaintext
    size_t count = 0;
  };
  // Opens into `output`, which may be the bytes' own place: the plaintext begins at `output + offset` then.
  Opened open(const SealedPlace &place, ByteView bytes, uint8_t *output);

  // The epoch that an envelope names; 0 where it is none.
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
  std::vector<Context> contexts_;  // the one used last in front
  uint8_t associated_[kPrefixSize + kMostKey + kTokenSize];
};

}  // namespace todana
