#include "include/CSealingProbe.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "../../Sources/CSealing/CSealingHandles.h"
#include "../../Sources/CSealing/Primitives/AesGcm.h"
#include "../../Sources/CSealing/Primitives/AesSiv.h"
#include "../../Sources/CSealing/Primitives/BlockMac.h"
#include "../../Sources/CSealing/Primitives/CryptoError.h"

using namespace todana;

struct probe_key_file {
  KeyFile file;
  SecretBytes master;
};

namespace {

ByteView view(probe_bytes bytes) { return {bytes.bytes, bytes.count}; }
SecretBytes secret(probe_bytes bytes) { return SecretBytes(bytes.bytes, bytes.count); }

std::vector<ByteView> views(const probe_bytes *parts, size_t count) {
  std::vector<ByteView> views;
  for (size_t index = 0; index < count; index++) views.push_back(view(parts[index]));
  return views;
}

template <class Body> bool isDone(Body body) {
  try {
    return body();
  } catch (const std::exception &) {
    return false;
  }
}

template <class Body> int32_t code(Body body) {
  try {
    body();
    return TDS_OK;
  } catch (const SealingError &error) {
    return error.code();
  } catch (const std::exception &) {
    return TDS_NO_MEMORY;
  }
}

Secret secret(const tds_secret *given) {
  return {static_cast<SecretKind>(given->kind), {given->bytes, given->byte_count}};
}

}  // namespace

bool probe_gcm_seal(
  probe_bytes key, probe_bytes nonce, probe_bytes associated, probe_bytes plaintext, uint8_t *output, uint8_t *tag) {
  return isDone([&] {
    AesGcm(secret(key)).seal(nonce.bytes, view(associated), view(plaintext), output, tag);
    return true;
  });
}

bool probe_gcm_open(
  probe_bytes key, probe_bytes nonce, probe_bytes associated, probe_bytes ciphertext, const uint8_t *tag,
  uint8_t *output) {
  return isDone([&] {
    return AesGcm(secret(key)).open(nonce.bytes, view(associated), view(ciphertext), output, tag);
  });
}

bool probe_gcm_seal_by_library(
  probe_bytes key, probe_bytes nonce, probe_bytes associated, probe_bytes plaintext, uint8_t *output, uint8_t *tag) {
  const CipherContext context(EVP_CIPHER_CTX_new());
  const EVP_CIPHER *const cipher = key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm();
  int length = 0;
  uint8_t rest[kTagSize];
  return context && EVP_EncryptInit_ex2(context.get(), cipher, key.bytes, nonce.bytes, nullptr) == 1 &&
         EVP_EncryptUpdate(
           context.get(), nullptr, &length, associated.bytes, static_cast<int>(associated.count)) == 1 &&
         EVP_EncryptUpdate(context.get(), output, &length, plaintext.bytes, static_cast<int>(plaintext.count)) == 1 &&
         EVP_EncryptFinal_ex(context.get(), rest, &length) == 1 &&
         EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize, tag) == 1;
}

bool probe_siv_seal(
  probe_bytes key, const probe_bytes *associated, size_t count, probe_bytes plaintext, uint8_t *output) {
  return isDone([&] {
    const std::vector<uint8_t> sealed = sivSeal(secret(key), views(associated, count), view(plaintext));
    std::copy(sealed.begin(), sealed.end(), output);
    return true;
  });
}

bool probe_siv_open(
  probe_bytes key, const probe_bytes *associated, size_t count, probe_bytes sealed, uint8_t *output) {
  return isDone([&] {
    const SecretBytes plaintext = sivOpen(secret(key), views(associated, count), view(sealed));
    std::copy(plaintext.data(), plaintext.data() + plaintext.size(), output);
    return !plaintext.isEmpty();
  });
}

bool probe_sha256(probe_bytes bytes, uint8_t *hash) {
  return isDone([&] {
    const Hash made = sha256(view(bytes));
    std::copy(made.begin(), made.end(), hash);
    return true;
  });
}

bool probe_hmac(probe_bytes key, probe_bytes message, uint8_t *hash) {
  return isDone([&] {
    const Hash made = hmacSHA256(view(key), view(message));
    std::copy(made.begin(), made.end(), hash);
    return true;
  });
}

bool probe_hkdf(probe_bytes given, probe_bytes salt, probe_bytes info, uint8_t *output, size_t count) {
  return isDone([&] {
    const SecretBytes made = hkdfSHA256(view(given), view(salt), view(info), count);
    std::copy(made.data(), made.data() + count, output);
    return true;
  });
}

int32_t probe_scrypt(
  probe_bytes passphrase, probe_bytes salt, uint8_t log2N, uint32_t r, uint32_t p, uint8_t *output, size_t count) {
  return code([&] {
    const SecretBytes made = scrypt(view(passphrase), view(salt), {log2N, r, p}, count);
    std::copy(made.data(), made.data() + count, output);
  });
}

bool probe_block_mac(probe_bytes key, probe_bytes message, uint8_t *mac) {
  return isDone([&] {
    BlockMac(secret(key)).mac(view(message), mac);
    return true;
  });
}

// MARK: Key files

probe_key_file *probe_key_file_create(const uint8_t *storeID, int32_t cipher) {
  StoreID id;
  std::copy(storeID, storeID + id.size(), id.begin());
  return new probe_key_file{KeyFile(id, static_cast<DataCipher>(cipher)), SecretBytes()};
}

probe_key_file *probe_key_file_parse(probe_bytes bytes, int32_t *result) {
  probe_key_file *file = nullptr;
  *result = code([&] { file = new probe_key_file{KeyFile::parse(view(bytes)), SecretBytes()}; });
  return file;
}

void probe_key_file_free(probe_key_file *file) { delete file; }

size_t probe_key_file_bytes(const probe_key_file *file, uint8_t *output, size_t capacity) {
  const std::vector<uint8_t> bytes = file->file.bytes();
  std::copy(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), capacity)), output);
  return bytes.size();
}

int32_t probe_key_file_add(probe_key_file *file, const tds_secret *given, uint8_t log2N, uint32_t *slot) {
  return code([&] { *slot = file->file.addSlot(secret(given), file->master, {log2N, 8, 1}, 1'700'000'000'000); });
}

int32_t probe_key_file_remove(probe_key_file *file, uint32_t slot) {
  return code([&] { file->file.removeSlot(slot); });
}

int32_t probe_key_file_unlock(probe_key_file *file, const tds_secret *given, uint8_t *master, uint32_t *slot) {
  return code([&] {
    KeyFile::Unlocked unlocked = file->file.unlock(secret(given));
    std::copy(unlocked.master.data(), unlocked.master.data() + KeyFile::kMasterSize, master);
    *slot = unlocked.slot;
    file->master = std::move(unlocked.master);
  });
}

void probe_key_file_set_master(probe_key_file *file, const uint8_t *master) {
  file->master = SecretBytes(master, KeyFile::kMasterSize);
}

int32_t probe_key_file_add_key(probe_key_file *file, int32_t purpose, uint32_t number, const uint8_t *key) {
  return code([&] {
    file->file.addKey({static_cast<KeyPurpose>(purpose), number, SecretBytes(key, 32)}, file->master);
  });
}

tds_key_ring *probe_key_file_ring(const probe_key_file *file, int32_t *result) {
  tds_key_ring *ring = nullptr;
  *result = code([&] {
    ring = new tds_key_ring{std::make_shared<KeyRing>(
      file->file.storeID(), file->file.cipher(), file->file.keys(file->master))};
  });
  return ring;
}
