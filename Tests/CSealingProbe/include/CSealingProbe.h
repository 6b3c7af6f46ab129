// The parts of CSealing that its C interface does not show, for tests with known answers.
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

// All false where something throws, or a tag is wrong. Outputs have room for what is asked for.
bool probe_gcm_seal(
  probe_bytes key, probe_bytes nonce, probe_bytes associated, probe_bytes plaintext, uint8_t *output, uint8_t *tag);
bool probe_gcm_open(
  probe_bytes key, probe_bytes nonce, probe_bytes associated, probe_bytes ciphertext, const uint8_t *tag,
  uint8_t *output);
bool probe_siv_seal(
  probe_bytes key, const probe_bytes *associated, size_t associated_count, probe_bytes plaintext, uint8_t *output);
bool probe_siv_open(
  probe_bytes key, const probe_bytes *associated, size_t associated_count, probe_bytes sealed, uint8_t *output);
bool probe_sha256(probe_bytes bytes, uint8_t *hash);
bool probe_hmac(probe_bytes key, probe_bytes message, uint8_t *hash);
bool probe_hkdf(probe_bytes secret, probe_bytes salt, probe_bytes info, uint8_t *output, size_t count);
// The `tds_code`.
int32_t probe_scrypt(
  probe_bytes passphrase, probe_bytes salt, uint8_t log2_n, uint32_t r, uint32_t p, uint8_t *output, size_t count);
bool probe_block_mac(
  probe_bytes key, probe_bytes message, uint8_t *mac);

// A key file in memory.
typedef struct probe_key_file probe_key_file;

probe_key_file *probe_key_file_create(const uint8_t *store_id, int32_t cipher);
// Null, and the `tds_code`, where it cannot be parsed.
probe_key_file *probe_key_file_parse(probe_bytes bytes, int32_t *code);
void probe_key_file_free(probe_key_file *file);
size_t probe_key_file_bytes(const probe_key_file *file, uint8_t *output, size_t capacity);
// These return the `tds_code`.
int32_t probe_key_file_add(probe_key_file *file, const tds_secret *secret, uint8_t log2_n, uint32_t *slot);
int32_t probe_key_file_remove(probe_key_file *file, uint32_t slot);
// Makes `master`, 32 bytes, known to the file before it was unlocked.
int32_t probe_key_file_unlock(probe_key_file *file, const tds_secret *secret, uint8_t *master, uint32_t *slot);
void probe_key_file_set_master(probe_key_file *file, const uint8_t *master);
int32_t probe_key_file_add_key(probe_key_file *file, int32_t purpose, uint32_t number, const uint8_t *key);
// Null where a key is missing or damaged. The file must have been unlocked.
tds_key_ring *probe_key_file_ring(const probe_key_file *file, int32_t *code);

#ifdef __cplusplus
}
#endif

#endif
