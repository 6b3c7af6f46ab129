// Sealing: what makes a store's bytes secret and authentic.
//
// Plain C over the C++ of this target. No C++ exception passes this header. AES, hashes, key derivation and random
// numbers are libcrypto's; what is built of them here is described in docs/formats/key-file.md and
// docs/formats/sealed-envelope.md.
#ifndef TODANA_CSEALING_H
#define TODANA_CSEALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define TDS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define TDS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define TDS_NULLABLE _Nullable
#define TDS_NONNULL _Nonnull
#else
#define TDS_ASSUME_NONNULL_BEGIN
#define TDS_ASSUME_NONNULL_END
#define TDS_NULLABLE
#define TDS_NONNULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

TDS_ASSUME_NONNULL_BEGIN

typedef enum {
  TDS_OK = 0,
  TDS_WRONG_SECRET = 1,   // a passphrase or key that is not one of the store's
  TDS_DAMAGED_SLOT = 2,   // no other slot opens, and one cannot be read
  TDS_DAMAGED_KEYS = 3,   // the file of keys as a whole cannot be read
  TDS_NEWER_FORMAT = 4,
  TDS_LIMIT = 5,          // more slots than there may be, or more work than deriving a key ever takes
  TDS_INVALID = 6,        // an argument that makes no sense
  TDS_NO_MEMORY = 7,
  TDS_LIBRARY = 8,        // libcrypto failed
} tds_code;

typedef enum {
  TDS_SECRET_PASSPHRASE = 1,    // UTF-8 of the normalized form NFC
  TDS_SECRET_KEY = 2,           // 16 or 32 random bytes
  TDS_SECRET_RECOVERY_KEY = 3,  // 16 random bytes
} tds_secret_kind;

typedef struct {
  int32_t kind;                 // a `tds_secret_kind`
  const uint8_t *bytes;
  size_t byte_count;
} tds_secret;

// The keys of an open store. Any thread.
typedef struct tds_key_ring tds_key_ring;

// Another handle to the same keys. Null where memory ends.
tds_key_ring *TDS_NULLABLE tds_key_ring_retain(const tds_key_ring *ring);
void tds_key_ring_release(tds_key_ring *ring);
// 1 AES-128-GCM, 2 AES-256-GCM.
int32_t tds_key_ring_cipher(const tds_key_ring *ring);
// What is sealed from now on is sealed under this epoch's key.
uint32_t tds_key_ring_epoch(const tds_key_ring *ring);

// Makes the keys of a new store under a secret, for a backend that keeps the file of keys itself. `cipher`: as
// `tds_key_ring_cipher`; `log2n`: the cost of trying a passphrase, 2 to the power of which is scrypt's N. The file's bytes
// are freed with `tds_bytes_free`. Returns a `tds_code`.
int32_t tds_keys_create(
  const uint8_t *store_id, const tds_secret *secret, int32_t cipher, uint8_t log2n,
  uint8_t *TDS_NULLABLE *TDS_NONNULL file, size_t *byte_count, tds_key_ring *TDS_NULLABLE *TDS_NONNULL ring);
// Opens the keys in a file that `tds_keys_create` made. Returns a `tds_code`.
int32_t tds_keys_open(
  const uint8_t *store_id, const tds_secret *secret, const uint8_t *file, size_t byte_count,
  tds_key_ring *TDS_NULLABLE *TDS_NONNULL ring);
void tds_bytes_free(uint8_t *TDS_NULLABLE bytes);

enum { TDS_CODE_SIZE = 16 };
// Bytes that stand for others which must not be seen: the first 16 of HMAC-SHA256 under the newest key for names.
bool tds_name_code(const tds_key_ring *ring, const uint8_t *TDS_NULLABLE bytes, size_t byte_count, uint8_t *code);
// Seals a name always in the same way, so that it can be looked up: AES-SIV under a key derived from that for names.
// `sealed` has room for `TDS_CODE_SIZE` bytes more than the name.
bool tds_seal_name(const tds_key_ring *ring, const uint8_t *name, size_t byte_count, uint8_t *sealed);
// `name` has room for `TDS_CODE_SIZE` bytes less than what is sealed. False if it is not of this store.
bool tds_open_name(const tds_key_ring *ring, const uint8_t *sealed, size_t byte_count, uint8_t *name);

// Seals and opens, with scheduled keys of its own: used by one thread at a time.
typedef struct tds_sealer tds_sealer;

tds_sealer *TDS_NULLABLE tds_sealer_create(const tds_key_ring *ring);
void tds_sealer_free(tds_sealer *sealer);

// Bytes that an envelope has before the plaintext, and behind it.
size_t tds_header_size(uint32_t epoch);
enum { TDS_TRAILER_SIZE = 16, TDS_NONCE_SIZE = 12, TDS_TOKEN_SIZE = 8 };
// Whether the plaintext of an envelope with this first byte is filled up: its last two bytes say with how many.
bool tds_is_padded(uint8_t format);

typedef enum {
  TDS_KIND_RECORD = 1,
  TDS_KIND_NAMED_BUFFER = 2,
  TDS_KIND_TREE_ENTRY = 8,
} tds_kind;

// Fills `nonces` with `count` random nonces; whatever is sealed under the current epoch takes one, so they are counted.
bool tds_draw_nonces(const tds_key_ring *ring, uint8_t *nonces, size_t count);

// Seals in place: `bytes` has room for the header, then the plaintext, then room for the trailer. `padded`: as
// `tds_is_padded` says. False where libcrypto fails.
bool tds_seal_row(
  tds_sealer *sealer, uint32_t keyspace, uint64_t row, uint32_t epoch, bool padded, const uint8_t *nonce,
  uint8_t *bytes, size_t byte_count);
bool tds_seal_key(
  tds_sealer *sealer, int32_t kind, uint32_t keyspace, const uint8_t *TDS_NULLABLE key, size_t key_length,
  uint32_t epoch, bool padded, const uint8_t *nonce, uint8_t *bytes, size_t byte_count);

typedef enum {
  TDS_OPENED = 0,
  TDS_NOT_SEALED = 1,      // its first byte says that it is something else
  TDS_UNKNOWN_EPOCH = 2,   // sealed under a key that the store does not have
  TDS_NOT_AUTHENTIC = 3,   // damaged, or sealed for another place
  TDS_FAILED = 4,          // libcrypto failed, or there is no memory
} tds_outcome;

// Opens into `output`, which may be `bytes`: the plaintext is at `output + *offset`.
int32_t tds_open_row(
  tds_sealer *sealer, uint32_t keyspace, uint64_t row, const uint8_t *bytes, size_t byte_count, uint8_t *output,
  size_t *offset, size_t *plain_count);
int32_t tds_open_key(
  tds_sealer *sealer, int32_t kind, uint32_t keyspace, const uint8_t *TDS_NULLABLE key, size_t key_length,
  const uint8_t *bytes, size_t byte_count, uint8_t *output, size_t *offset, size_t *plain_count);

enum { TDS_HASH_SIZE = 32 };
// SHA-256. False if libcrypto fails, as the next ones do.
bool tds_sha256(const uint8_t *TDS_NULLABLE bytes, size_t byte_count, uint8_t *hash);

// A SHA-256 of bytes that come in pieces; used by one thread at a time.
typedef struct tds_hash tds_hash;

tds_hash *TDS_NULLABLE tds_hash_create(void);
void tds_hash_free(tds_hash *hash);
bool tds_hash_add(tds_hash *hash, const uint8_t *TDS_NULLABLE bytes, size_t byte_count);
// The next bytes begin another hash.
bool tds_hash_finish(tds_hash *hash, uint8_t *bytes);
// Overwrites what was secret, in a way that is not optimized away.
void tds_wipe(void *TDS_NULLABLE bytes, size_t byte_count);

// Whether the keys that are held are kept out of swap.
typedef enum { TDS_MEMORY_LOCKED = 0, TDS_MEMORY_UNLOCKED = 1, TDS_MEMORY_ORDINARY = 2 } tds_memory;
int32_t tds_secret_memory(void);

TDS_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
