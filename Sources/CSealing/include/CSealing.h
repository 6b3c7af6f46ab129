// Sealing, which makes a store's bytes secret and authentic.
//
// This is the plain C interface of the C++ of this target; no C++ exception crosses it. AES, hashes, key derivation and
// random numbers are those of libcrypto, except the hash in the tags of short records. The constructions from them are
// described in docs/formats/key-file.md and docs/formats/sealed-envelope.md.
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
  TDS_WRONG_SECRET = 1,   // the passphrase or key is not one of the store's
  TDS_DAMAGED_SLOT = 2,   // a slot is damaged, and no other slot opens
  TDS_DAMAGED_KEYS = 3,   // the file of keys cannot be read at all
  TDS_NEWER_FORMAT = 4,
  TDS_LIMIT = 5,          // too many slots or keys, or more work than deriving a key ever takes
  TDS_INVALID = 6,        // an invalid argument
  TDS_NO_MEMORY = 7,
  TDS_LIBRARY = 8,        // libcrypto failed
} tds_code;

typedef enum {
  TDS_SECRET_PASSPHRASE = 1,    // UTF-8, in the normalization form NFC
  TDS_SECRET_KEY = 2,           // 16 or 32 random bytes
  TDS_SECRET_RECOVERY_KEY = 3,  // 16 random bytes
} tds_secret_kind;

typedef struct {
  int32_t kind;                 // a `tds_secret_kind`
  const uint8_t *bytes;
  size_t byte_count;
} tds_secret;

// The keys of an open store. Thread-safe.
typedef struct tds_key_ring tds_key_ring;

// Returns another handle to the same keys; null if there is no memory.
tds_key_ring *TDS_NULLABLE tds_key_ring_retain(const tds_key_ring *ring);
void tds_key_ring_release(tds_key_ring *ring);
// Returns 1 for AES-128-GCM, 2 for AES-256-GCM.
int32_t tds_key_ring_cipher(const tds_key_ring *ring);
// Returns the epoch whose key seals new data.
uint32_t tds_key_ring_epoch(const tds_key_ring *ring);

// Creates the keys of a new store under a secret, for a backend that stores the file of keys itself. `cipher` is as
// returned by `tds_key_ring_cipher`. `log2n` is the cost of trying a passphrase: scrypt's N is 2 to this power. The
// caller frees the file's bytes with `tds_bytes_free`. Returns a `tds_code`.
int32_t tds_keys_create(
  const uint8_t *store_id, const tds_secret *secret, int32_t cipher, uint8_t log2n,
  uint8_t *TDS_NULLABLE *TDS_NONNULL file, size_t *byte_count, tds_key_ring *TDS_NULLABLE *TDS_NONNULL ring);
// Opens the keys in a file that `tds_keys_create` made. Returns a `tds_code`.
int32_t tds_keys_open(
  const uint8_t *store_id, const tds_secret *secret, const uint8_t *file, size_t byte_count,
  tds_key_ring *TDS_NULLABLE *TDS_NONNULL ring);
void tds_bytes_free(uint8_t *TDS_NULLABLE bytes);

enum { TDS_CODE_SIZE = 16 };
// Computes a code that replaces bytes which must be hidden: the first 16 bytes of HMAC-SHA256 under the newest name
// key.
bool tds_name_code(const tds_key_ring *ring, const uint8_t *TDS_NULLABLE bytes, size_t byte_count, uint8_t *code);
// Seals a name deterministically, so that it can be looked up: AES-SIV under a key derived from the name key. `sealed`
// has room for the name and `TDS_CODE_SIZE` more bytes.
bool tds_seal_name(const tds_key_ring *ring, const uint8_t *name, size_t byte_count, uint8_t *sealed);
// Opens a sealed name. `name` has room for `TDS_CODE_SIZE` fewer bytes than `sealed`. Returns false if the bytes are
// not of this store.
bool tds_open_name(const tds_key_ring *ring, const uint8_t *sealed, size_t byte_count, uint8_t *name);

// A sealer, which seals and opens with its own scheduled keys; used by one thread at a time.
typedef struct tds_sealer tds_sealer;

tds_sealer *TDS_NULLABLE tds_sealer_create(const tds_key_ring *ring);
void tds_sealer_free(tds_sealer *sealer);

// Returns the number of bytes of an envelope before the plaintext; after it there are `TDS_TRAILER_SIZE` bytes.
size_t tds_header_size(uint32_t epoch);
enum { TDS_TRAILER_SIZE = 16, TDS_NONCE_SIZE = 12, TDS_TOKEN_SIZE = 8 };
// Tests whether the plaintext of an envelope with this first byte is padded: its last two bytes are the padding's
// length.
bool tds_is_padded(uint8_t format);

typedef enum {
  TDS_KIND_RECORD = 1,
  TDS_KIND_NAMED_BUFFER = 2,
  TDS_KIND_TREE_ENTRY = 8,
} tds_kind;

// Fills `nonces` with `count` random nonces. Each is for one seal under the current epoch, and is counted as that seal
// when it is drawn.
bool tds_draw_nonces(const tds_key_ring *ring, uint8_t *nonces, size_t count);

// Seal in place: `bytes` has room for the header, then the plaintext, then room for the trailer. `padded` is as
// returned by `tds_is_padded`. Return false if libcrypto fails.
bool tds_seal_row(
  tds_sealer *sealer, uint32_t keyspace, uint64_t row, uint32_t epoch, bool padded, const uint8_t *nonce,
  uint8_t *bytes, size_t byte_count);
bool tds_seal_key(
  tds_sealer *sealer, int32_t kind, uint32_t keyspace, const uint8_t *TDS_NULLABLE key, size_t key_length,
  uint32_t epoch, bool padded, const uint8_t *nonce, uint8_t *bytes, size_t byte_count);

typedef enum {
  TDS_OPENED = 0,
  TDS_NOT_SEALED = 1,      // the first byte is not that of a sealed envelope
  TDS_UNKNOWN_EPOCH = 2,   // sealed under a key that the store does not have
  TDS_NOT_AUTHENTIC = 3,   // damaged, or sealed for another place
  TDS_FAILED = 4,          // libcrypto failed, or there is no memory
} tds_outcome;

// Open into `output`, which may be `bytes`; the plaintext is at `output + *offset`.
int32_t tds_open_row(
  tds_sealer *sealer, uint32_t keyspace, uint64_t row, const uint8_t *bytes, size_t byte_count, uint8_t *output,
  size_t *offset, size_t *plain_count);
int32_t tds_open_key(
  tds_sealer *sealer, int32_t kind, uint32_t keyspace, const uint8_t *TDS_NULLABLE key, size_t key_length,
  const uint8_t *bytes, size_t byte_count, uint8_t *output, size_t *offset, size_t *plain_count);

enum { TDS_HASH_SIZE = 32 };
// Computes a SHA-256. Like the next functions, returns false if libcrypto fails.
bool tds_sha256(const uint8_t *TDS_NULLABLE bytes, size_t byte_count, uint8_t *hash);

// A SHA-256 of bytes that are added in pieces; used by one thread at a time.
typedef struct tds_hash tds_hash;

tds_hash *TDS_NULLABLE tds_hash_create(void);
void tds_hash_free(tds_hash *hash);
bool tds_hash_add(tds_hash *hash, const uint8_t *TDS_NULLABLE bytes, size_t byte_count);
// Returns the hash; the next bytes begin another one.
bool tds_hash_finish(tds_hash *hash, uint8_t *bytes);
// Overwrites secret bytes in a way that is not optimized away.
void tds_wipe(void *TDS_NULLABLE bytes, size_t byte_count);

// The kind of memory that keys are kept in: whether it is kept out of swap.
typedef enum { TDS_MEMORY_LOCKED = 0, TDS_MEMORY_UNLOCKED = 1, TDS_MEMORY_ORDINARY = 2 } tds_memory;
int32_t tds_secret_memory(void);

TDS_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
