// The C functions of StorageEngineSpill.h.
#include "../include/StorageEngineSpill.h"

#include <new>

#include "../Snapshots/SpillBuffer.h"
#include "ErrorBoundary.h"

using namespace todana;

struct tdn_spill {
  SpillBuffer buffer{nullptr, true};
};

tdn_spill *tdn_spill_open(void) { return new (std::nothrow) tdn_spill; }

bool tdn_spill_append(
  tdn_spill *spill, const uint8_t *bytes, size_t length, uint64_t *position, tdn_error *error) {
  return catchErrors(error, [&] { *position = spill->buffer.append(reinterpret_cast<const char *>(bytes), length); });
}

bool tdn_spill_read(const tdn_spill *spill, uint64_t position, uint8_t *buffer, size_t length, tdn_error *error) {
  return catchErrors(error, [&] { spill->buffer.read(position, reinterpret_cast<char *>(buffer), length); });
}

void tdn_spill_close(tdn_spill *spill) { delete spill; }
