// Vectors of 16 bytes and their carry-less multiplication, the multiplication of polynomials over GF(2), on x86-64 and
// 64-bit Arm. Functions that use them are marked TODANA_CARRYLESS, and are called only if `hasCarrylessProduct`.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#define TODANA_CARRYLESS __attribute__((target("pclmul,ssse3")))
#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#define TODANA_CARRYLESS __attribute__((target("+crypto")))
#else
#define TODANA_CARRYLESS
#endif

namespace todana {

#if defined(__x86_64__)

using Vector = __m128i;

inline bool hasCarrylessProduct() { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3"); }

inline Vector loadVector(const uint8_t *bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes)); }
inline void storeVector(uint8_t *bytes, Vector vector) {
  _mm_storeu_si128(reinterpret_cast<__m128i *>(bytes), vector);
}
inline Vector makeVector(uint64_t low, uint64_t high) {
  return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}
// Selects bytes by number; a number of 0x80 or more gives a zero.
TODANA_CARRYLESS inline Vector selectedBytes(Vector vector, Vector numbers) {
  return _mm_shuffle_epi8(vector, numbers);
}
TODANA_CARRYLESS inline Vector reversedBytes(Vector vector) {
  return _mm_shuffle_epi8(vector, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}
inline Vector swappedHalves(Vector vector) { return _mm_shuffle_epi32(vector, 0x4E); }
// The low half becomes the high half, and the other way round; zeros fill the rest.
inline Vector lowAsHigh(Vector vector) { return _mm_slli_si128(vector, 8); }
inline Vector highAsLow(Vector vector) { return _mm_srli_si128(vector, 8); }
// The products of the low halves, of the high halves, and the sum of the two products of a low and a high half.
TODANA_CARRYLESS inline Vector productOfLows(Vector a, Vector b) { return _mm_clmulepi64_si128(a, b, 0x00); }
TODANA_CARRYLESS inline Vector productOfHighs(Vector a, Vector b) { return _mm_clmulepi64_si128(a, b, 0x11); }
TODANA_CARRYLESS inline Vector crossProducts(Vector a, Vector b) {
  return _mm_clmulepi64_si128(a, b, 0x01) ^ _mm_clmulepi64_si128(a, b, 0x10);
}

#elif defined(__aarch64__)

using Vector = uint64x2_t;

inline bool hasCarrylessProduct() {
#if defined(__linux__)
  return getauxval(AT_HWCAP) & HWCAP_PMULL;
#else
  return true;  // as on all 64-bit processors of Apple
#endif
}

inline Vector loadVector(const uint8_t *bytes) { return vreinterpretq_u64_u8(vld1q_u8(bytes)); }
inline void storeVector(uint8_t *bytes, Vector vector) { vst1q_u8(bytes, vreinterpretq_u8_u64(vector)); }
inline Vector makeVector(uint64_t low, uint64_t high) { return vcombine_u64(vcreate_u64(low), vcreate_u64(high)); }
inline Vector swappedHalves(Vector vector) { return vextq_u64(vector, vector, 1); }
inline Vector selectedBytes(Vector vector, Vector numbers) {
  return vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(vector), vreinterpretq_u8_u64(numbers)));
}
inline Vector reversedBytes(Vector vector) {
  return swappedHalves(vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(vector))));
}
inline Vector lowAsHigh(Vector vector) { return vextq_u64(makeVector(0, 0), vector, 1); }
inline Vector highAsLow(Vector vector) { return vextq_u64(vector, makeVector(0, 0), 1); }
TODANA_CARRYLESS inline Vector product(uint64_t a, uint64_t b) {
  return vreinterpretq_u64_p128(vmull_p64(static_cast<poly64_t>(a), static_cast<poly64_t>(b)));
}
TODANA_CARRYLESS inline Vector productOfLows(Vector a, Vector b) {
  return product(vgetq_lane_u64(a, 0), vgetq_lane_u64(b, 0));
}
TODANA_CARRYLESS inline Vector productOfHighs(Vector a, Vector b) {
  return product(vgetq_lane_u64(a, 1), vgetq_lane_u64(b, 1));
}
TODANA_CARRYLESS inline Vector crossProducts(Vector a, Vector b) {
  return product(vgetq_lane_u64(a, 0), vgetq_lane_u64(b, 1)) ^ product(vgetq_lane_u64(a, 1), vgetq_lane_u64(b, 0));
}

#endif

}  // namespace todana
