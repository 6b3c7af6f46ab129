#include "Sealer.h"

#include <algorithm>
#include <cstring>

#include "Primitives/CryptoError.h"

namespace todana {

namespace {

constexpr char kLabel[] = "Todana";
constexpr size_t kLabelSize = 6;
constexpr uint8_t kVersion = 1;

size_t varintSize(uint32_t number) {
  size_t size = 1;
  while (number >= 0x80) {
    number >>= 7;
    size++;
  }
  return size;
}

size_t putVarint(uint8_t *bytes, uint32_t number) {
  size_t size = 0;
  while (number >= 0x80) {
    bytes[size++] = static_cast<uint8_t>(number) | 0x80;
    number >>= 7;
  }
  bytes[size++] = static_cast<uint8_t>(number);
  return size;
}

// Returns the length; 0 if there is no varint, or if it is longer than necessary: each epoch has only one encoding.
size_t getVarint(ByteView bytes, uint32_t &number) {
  uint64_t value = 0;
  for (size_t size = 0; size < bytes.size && size < 5; size++) {
    value |= static_cast<uint64_t>(bytes.data[size] & 0x7F) << 7 * size;
    if (bytes.data[size] & 0x80) continue;
    number = static_cast<uint32_t>(value);
    return value > UINT32_MAX || (size > 0 && bytes.data[size] == 0) ? 0 : size + 1;
  }
  return 0;
}

void put32(uint8_t *bytes, uint32_t number) {
  for (int index = 0; index < 4; index++) bytes[index] = static_cast<uint8_t>(number >> 8 * index);
}

}  // namespace

Sealer::Sealer(std::shared_ptr<const KeyRing> ring) : ring_(std::move(ring)) {
  std::memcpy(associated_, kLabel, kLabelSize);
  associated_[6] = kVersion;
  std::copy(ring_->storeID().begin(), ring_->storeID().end(), associated_ + 8);
}

size_t Sealer::headerSize(uint32_t epoch) { return 1 + varintSize(epoch) + kNonceSize; }

ByteView Sealer::associated(
  const SealedPlace &place, uint8_t format, uint32_t epoch, const uint8_t *token) {
  if (place.key.size > kMostKey) throw SealingError(TDS_INVALID, "a key has at most 1,024 bytes");
  associated_[7] = static_cast<uint8_t>(place.kind);
  put32(associated_ + 24, place.keyspace);
  put32(associated_ + 28, epoch);
  associated_[32] = format;
  associated_[33] = static_cast<uint8_t>(place.key.size);
  associated_[34] = static_cast<uint8_t>(place.key.size >> 8);
  if (place.key.size > 0) std::memcpy(associated_ + kPrefixSize, place.key.data, place.key.size);
  size_t size = kPrefixSize + place.key.size;
  if (keepsToken(format)) {
    std::memcpy(associated_ + size, token, kTokenSize);
    size += kTokenSize;
  }
  return {associated_, size};
}

AesGcm *Sealer::context(uint32_t epoch) {
  if (!contexts_.empty() && contexts_.front().epoch == epoch) return contexts_.front().cipher.get();
  for (size_t index = 1; index < contexts_.size(); index++) {
    if (contexts_[index].epoch != epoch) continue;
    std::swap(contexts_[index], contexts_.front());
    return contexts_.front().cipher.get();
  }
  const std::shared_ptr<const SecretBytes> key = ring_->epochKey(epoch);
  if (!key) return nullptr;
  contexts_.push_back({epoch, std::make_unique<AesGcm>(*key)});
  std::swap(contexts_.back(), contexts_.front());
  return contexts_.front().cipher.get();
}

void Sealer::seal(
  const SealedPlace &place, uint8_t format, uint32_t epoch, const uint8_t *nonce, uint8_t *bytes, size_t count) {
  const size_t header = headerSize(epoch), trailer = kTrailerSize + (keepsToken(format) ? kTokenSize : 0);
  AesGcm *const cipher = context(epoch);
  if (!cipher || count < header + trailer) {
    throw SealingError(TDS_INVALID, "a record has no room for its envelope, or its epoch has no key");
  }
  bytes[0] = format;
  const size_t nonceOffset = 1 + putVarint(bytes + 1, epoch);
  std::memcpy(bytes + nonceOffset, nonce, kNonceSize);
  const size_t plainCount = count - header - trailer;
  uint8_t *const tag = bytes + header + plainCount;
  cipher->seal(
    nonce, associated(place, format, epoch, tag + kTrailerSize), {bytes + header, plainCount}, bytes + header, tag);
}

std::vector<uint8_t> Sealer::seal(const SealedPlace &place, ByteView plaintext) {
  const uint32_t epoch = currentEpoch();
  const size_t header = headerSize(epoch);
  std::vector<uint8_t> sealed(header + plaintext.size + kTrailerSize);
  if (plaintext.size > 0) std::memcpy(sealed.data() + header, plaintext.data, plaintext.size);
  uint8_t nonce[kNonceSize];
  ring_->drawNonces(nonce, 1);
  seal(place, kSealedFormat, epoch, nonce, sealed.data(), sealed.size());
  return sealed;
}

std::vector<uint8_t> Sealer::sealKept(
  const SealedPlace &place, uint8_t format, ByteView plaintext, const uint8_t *token) {
  const uint32_t epoch = currentEpoch();
  const size_t header = headerSize(epoch);
  std::vector<uint8_t> sealed(header + plaintext.size + kTrailerSize + kTokenSize);
  std::copy(plaintext.data, plaintext.data + plaintext.size, sealed.begin() + static_cast<ptrdiff_t>(header));
  std::copy(token, token + kTokenSize, sealed.end() - kTokenSize);
  uint8_t nonce[kNonceSize];
  ring_->drawNonces(nonce, 1);
  seal(place, format, epoch, nonce, sealed.data(), sealed.size());
  return sealed;
}

uint32_t Sealer::epoch(ByteView bytes) {
  uint32_t epoch = 0;
  if (bytes.size < kLeastSize || !isSealedFormat(bytes.data[0])) return 0;
  return getVarint({bytes.data + 1, bytes.size - 1}, epoch) == 0 ? 0 : epoch;
}

Sealer::Opened Sealer::open(const SealedPlace &place, ByteView bytes, uint8_t *output) {
  if (bytes.size < kLeastSize || !isSealedFormat(bytes.data[0])) return {Outcome::notSealed};
  const uint8_t format = bytes.data[0];
  uint32_t epoch = 0;
  const size_t epochSize = getVarint({bytes.data + 1, bytes.size - 1}, epoch);
  const size_t header = 1 + epochSize + kNonceSize, trailer = kTrailerSize + (keepsToken(format) ? kTokenSize : 0);
  if (epochSize == 0 || bytes.size < header + trailer) return {Outcome::notAuthentic};
  AesGcm *const cipher = context(epoch);
  if (!cipher) return {Outcome::unknownEpoch};
  const size_t count = bytes.size - header - trailer;
  const uint8_t *const tag = bytes.data + header + count;
  const bool isAuthentic = cipher->open(
    bytes.data + 1 + epochSize, associated(place, format, epoch, tag + kTrailerSize), {bytes.data + header, count},
    output + header, tag);
  if (!isAuthentic) return {Outcome::notAuthentic};
  return {Outcome::opened, header, count};
}

}  // namespace todana
