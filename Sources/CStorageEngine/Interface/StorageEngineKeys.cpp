// The C functions of StorageEngineKeys.h.
#include "../include/StorageEngineKeys.h"

#include "../../CSealing/CSealingHandles.h"
#include "../Cabinet/Cabinet.h"
#include "CabinetHandle.h"
#include "ErrorBoundary.h"

using namespace todana;

namespace {

tdn_key_slot slotOf(const StoreKeys::SlotInfo &info) {
  return {info.id, static_cast<int32_t>(info.kind), info.createdMilliseconds, info.isDamaged, info.isInUse};
}

}  // namespace

tds_key_ring *tdn_key_ring(tdn_cabinet *handle, tdn_error *error) {
  tds_key_ring *ring = nullptr;
  catchErrors(error, [&] {
    if (!handle->cabinet->isEncrypted()) return;
    handle->cabinet->withKeys([&](StoreKeys &keys) { ring = new tds_key_ring{keys.ring()}; });
  });
  return ring;
}

bool tdn_key_slots(
  tdn_cabinet *handle, void *context, void (*visit)(void *context, const tdn_key_slot *slot), tdn_error *error) {
  return catchErrors(error, [&] {
    const auto slots = handle->cabinet->withKeys([](StoreKeys &keys) { return keys.slots(); });
    // Collect all slots first, because the callback may call the engine.
    for (const StoreKeys::SlotInfo &info : slots) {
      const tdn_key_slot slot = slotOf(info);
      visit(context, &slot);
    }
  });
}

bool tdn_add_secret(tdn_cabinet *handle, const tds_secret *secret, uint32_t *slot, tdn_error *error) {
  return catchErrors(error, [&] {
    *slot = handle->cabinet->withKeys([&](StoreKeys &keys) {
      return keys.addSecret(secretOf(*secret), scryptCost(handle->cabinet->options()));
    });
  });
}

bool tdn_change_secret(tdn_cabinet *handle, const tds_secret *secret, uint32_t *slot, tdn_error *error) {
  return catchErrors(error, [&] {
    *slot = handle->cabinet->withKeys([&](StoreKeys &keys) {
      return keys.changeSecret(secretOf(*secret), scryptCost(handle->cabinet->options()));
    });
  });
}

bool tdn_remove_secret(tdn_cabinet *handle, uint32_t slot, tdn_error *error) {
  return catchErrors(error, [&] { handle->cabinet->withKeys([&](StoreKeys &keys) { keys.removeSlot(slot); }); });
}

bool tdn_export_keys(
  tdn_cabinet *handle, void *context, void (*visit)(void *context, const uint8_t *bytes, size_t count),
  tdn_error *error) {
  return catchErrors(error, [&] {
    const std::vector<uint8_t> bytes = handle->cabinet->withKeys([](StoreKeys &keys) { return keys.exported(); });
    visit(context, bytes.data(), bytes.size());
  });
}

bool tdn_rotate_keys(
  tdn_cabinet *handle, const tds_secret *secrets, size_t count, void *context,
  void (*visit)(void *context, const tdn_key_slot *slot, bool kept), tdn_error *error) {
  return catchErrors(error, [&] {
    std::vector<Secret> kept;
    for (size_t index = 0; index < count; index++) kept.push_back(secretOf(secrets[index]));
    const StoreKeys::Renewal renewal = handle->cabinet->beginRotation(kept);
    for (const auto *slots : {&renewal.kept, &renewal.removed}) {
      for (const StoreKeys::SlotInfo &info : *slots) {
        const tdn_key_slot slot = slotOf(info);
        visit(context, &slot, slots == &renewal.kept);
      }
    }
  });
}

bool tdn_encrypt(tdn_cabinet *handle, const tds_secret *secret, tdn_error *error) {
  return catchErrors(error, [&] { handle->cabinet->beginEncryption(secretOf(*secret)); });
}

bool tdn_decrypt(tdn_cabinet *handle, tdn_error *error) {
  return catchErrors(error, [&] { handle->cabinet->beginDecryption(); });
}

bool tdn_get_migration(tdn_cabinet *handle, int32_t *migration, tdn_error *error) {
  return catchErrors(error, [&] { *migration = handle->cabinet->migration(); });
}

bool tdn_migrate(tdn_cabinet *handle, tdn_progress progress, void *context, bool *done, tdn_error *error) {
  return catchErrors(error, [&] {
    *done = handle->cabinet->migrate([=](uint64_t part, uint64_t total) { return progress(context, part, total); });
  });
}

bool tdn_import_keys(
  const char *path, const uint8_t *bytes, size_t count, const tds_secret *secret, tdn_error *error) {
  return catchErrors(error, [&] { StoreDirectory::importKeys(path, {bytes, count}, secretOf(*secret)); });
}
