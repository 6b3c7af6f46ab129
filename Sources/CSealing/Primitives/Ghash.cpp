#include "Ghash.h"

#include <cstring>

#include <openssl/crypto.h>

#include "CarrylessVector.h"

namespace todana {

#if defined(__x86_64__) || defined(__aarch64__)

// GHASH is computed as POLYVAL of the same blocks with their bytes reversed (RFC 8452, appendix A), because the bits of
// POLYVAL are in the order of the processor's.
namespace {

// The upper half of POLYVAL's polynomial, x^127 + x^126 + x^121.
constexpr uint64_t kPolynomial = 0xC200'0000'0000'0000;

// A sum of products that are not reduced.
class Products {
 public:
  TODANA_CARRYLESS void add(Vector a, Vector b) {
    low_ ^= productOfLows(a, b);
    middle_ ^= crossProducts(a, b);
    high_ ^= productOfHighs(a, b);
  }

  // Returns the sum, divided by x^128, modulo the polynomial (RFC 8452, section 3): a Montgomery reduction by 64 bits
  // at a time.
  TODANA_CARRYLESS Vector reduced() const {
    const Vector polynomial = makeVector(kPolynomial, 0);
    Vector low = low_ ^ lowAsHigh(middle_);
    low = swappedHalves(low) ^ productOfLows(low, polynomial);
    low = swappedHalves(low) ^ productOfLows(low, polynomial);
    return high_ ^ highAsLow(middle_) ^ low;
  }

 private:
  Vector low_ = makeVector(0, 0), middle_ = low_, high_ = low_;
};

// Returns the last bytes of at least 16, fewer than 16 of them, with zeros up to a block.
TODANA_CARRYLESS Vector lastBytes(const uint8_t *end, size_t count) {
  static constexpr uint8_t kNumbers[2 * Ghash::kSize] = {
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
  return selectedBytes(loadVector(end - Ghash::kSize), loadVector(kNumbers + Ghash::kSize - count));
}

TODANA_CARRYLESS Vector paddedBlock(const uint8_t *bytes, size_t count) {
  uint8_t block[Ghash::kSize] = {};
  std::memcpy(block, bytes, count);
  return loadVector(block);
}

// Hashes a known number of blocks in groups, with one reduction for each group.
class Hasher {
 public:
  TODANA_CARRYLESS Hasher(const uint8_t *powers, size_t mostInGroup, size_t blockCount)
      : powers_(powers), mostInGroup_(mostInGroup), leftInGroup_((blockCount - 1) % mostInGroup + 1) {}

  TODANA_CARRYLESS void add(Vector block) {
    leftInGroup_--;
    products_.add(reversedBytes(block) ^ hash_, loadVector(powers_ + leftInGroup_ * Ghash::kSize));
    hash_ = makeVector(0, 0);
    if (leftInGroup_ > 0) return;
    hash_ = products_.reduced();
    products_ = Products();
    leftInGroup_ = mostInGroup_;
  }

  // Adds bytes, with zeros up to the next block.
  TODANA_CARRYLESS void add(ByteView bytes) {
    const uint8_t *const end = bytes.data + bytes.size;
    const size_t rest = bytes.size % Ghash::kSize;
    for (const uint8_t *block = bytes.data; block != end - rest; block += Ghash::kSize) add(loadVector(block));
    if (rest > 0) add(bytes.size > Ghash::kSize ? lastBytes(end, rest) : paddedBlock(bytes.data, rest));
  }

  // Returns the hash of all blocks.
  TODANA_CARRYLESS Vector hash() const { return reversedBytes(hash_); }

 private:
  const uint8_t *const powers_;
  const size_t mostInGroup_;
  size_t leftInGroup_;
  Products products_;
  Vector hash_ = makeVector(0, 0);
};

TODANA_CARRYLESS void computePowers(const uint8_t *key, uint8_t *powers, size_t count) {
  uint8_t halves[Ghash::kSize];
  storeVector(halves, reversedBytes(loadVector(key)));
  uint64_t low, high;
  std::memcpy(&low, halves, sizeof low);
  std::memcpy(&high, halves + sizeof low, sizeof high);
  // Multiply by x, which POLYVAL's products are short of.
  const uint64_t isOver = high >> 63;
  high = (high << 1 | low >> 63) ^ (kPolynomial & -isOver);
  low = low << 1 | isOver;
  const Vector first = makeVector(low, high);
  Vector power = first;
  storeVector(powers, power);
  for (size_t index = 1; index < count; index++) {
    Products products;
    products.add(power, first);
    power = products.reduced();
    storeVector(powers + index * Ghash::kSize, power);
  }
  OPENSSL_cleanse(halves, sizeof halves);
}

TODANA_CARRYLESS void computeHash(
  const uint8_t *powers, size_t powerCount, ByteView associated, ByteView ciphertext, uint8_t *hash) {
  const auto blockCount = [](size_t byteCount) { return (byteCount + Ghash::kSize - 1) / Ghash::kSize; };
  Hasher hasher(powers, powerCount, blockCount(associated.size) + blockCount(ciphertext.size) + 1);
  hasher.add(associated);
  hasher.add(ciphertext);
  // The lengths in bits, the most significant byte first.
  hasher.add(reversedBytes(makeVector(ciphertext.size * 8, associated.size * 8)));
  storeVector(hash, hasher.hash());
}

}  // namespace

bool Ghash::isSupported() {
  static const bool isSupported = hasCarrylessProduct();
  return isSupported;
}

Ghash::Ghash(const uint8_t *key) { computePowers(key, powers_, kPowerCount); }

void Ghash::hash(ByteView associated, ByteView ciphertext, uint8_t *hash) const {
  computeHash(powers_, kPowerCount, associated, ciphertext, hash);
}

#else

bool Ghash::isSupported() { return false; }
Ghash::Ghash(const uint8_t *) {}
void Ghash::hash(ByteView, ByteView, uint8_t *) const {}

#endif

Ghash::~Ghash() { OPENSSL_cleanse(powers_, sizeof powers_); }

}  // namespace todana
