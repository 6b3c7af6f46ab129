// The parts of CSealing that its C interface does not offer, for tests with known answers.
#ifndef TODANA_CSEALINGPROBE_H
#define TODANA_CSEALINGPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CSealing.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const uint8_t *bytes;
  size_t count;
} probe_bytes;

// The functions below return false if something throws or a tag is wrong. Outputs must have room for the result.
bool probe_gcm_seal(
  probe_bytes key, probe_bytes nonce, probe_bytes associated, probe_bytes plaintext, uint8_t *output, uint8_t *tag);
bool probe_gcm_open(
  probe_bytes key, probe_bytes nonce, probe_bytes associated, probe_bytes ciphertext, const uint8_t *tag,
  uint8_t *output);
// Seals by libcrypto's own AES-GCM.
bool probe_gcm_seal_by_library(
  probe_bytes key, probe_bytes nonce, probe_bytes associated, probe_bytes plaintext, uint8_t *output, uint8_t *tag);
bool probe_siv_seal(
  probe_bytes key, const probe_bytes *associated, size_t associated_count, probe_bytes plaintext, uint8_t *output);
bool probe_siv_open(
  probe_bytes key, const probe_bytes *associated, size_t associated_count, probe_bytes sealed, uint8_t *output);
bool probe_sha256(probe_bytes bytes, uint8_t *hash);
bool probe_hmac(probe_bytes key, probe_bytes message, uint8_t *hash);
bool probe_hkdf(probe_bytes secret, probe_bytes salt, probe_bytes info, uint8_t *output, size_t count);
// Returns the `tds_code`.
int32_t probe_scrypt(
  probe_bytes passphrase, probe_bytes salt, uint8_t log2_n, uint32_t r, uint32_t p, uint8_t *output, size_t count);
bool probe_block_mac(
  probe_bytes key, probe_bytes message, uint8_t *mac);

// A key file in memory.
typedef struct probe_key_file probe_key_file;

probe_key_file *probe_key_file_create(const uint8_t *store_id, int32_t cipher);
// Returns null and the `tds_code` if the bytes cannot be parsed.
probe_key_file *probe_key_file_parse(probe_bytes bytes, int32_t *code);
void probe_key_file_free(probe_key_file *file);
size_t probe_key_file_bytes(const probe_key_file *file, uint8_t *output, size_t capacity);
// Functions that return int32_t return the `tds_code`.
int32_t probe_key_file_add(probe_key_file *file, const tds_secret *secret, uint8_t log2_n, uint32_t *slot);
int32_t probe_key_file_remove(probe_key_file *file, uint32_t slot);
// Unlocks the file, and returns its master key, 32 bytes, and the slot.
int32_t probe_key_file_unlock(probe_key_file *file, const tds_secret *secret, uint8_t *master, uint32_t *slot);
// Sets the master key, 32 bytes, of a file that was not unlocked.
void probe_key_file_set_master(probe_key_file *file, const uint8_t *master);
int32_t probe_key_file_add_key(probe_key_file *file, int32_t purpose, uint32_t number, const uint8_t *key);
// Returns null if a key is missing or damaged. The file must have its master key.
tds_key_ring *probe_key_file_ring(const probe_key_file *file, int32_t *code);

#ifdef __cplusplus
}
#endif

#endif
