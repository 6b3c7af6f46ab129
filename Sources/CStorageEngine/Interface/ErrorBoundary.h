// The boundary of the C interface, at which C++ exceptions become a `tdn_error`.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "../Commit/BatchCommit.h"
#include "../Directory/StoreKeys.h"
#include "../Disk/Failure.h"

namespace todana {

inline void copyText(char *target, size_t capacity, std::string_view text) {
  size_t length = std::min(text.size(), capacity - 1);
  // Do not cut a UTF-8 character.
  if (length < text.size()) {
    while (length > 0 && (static_cast<uint8_t>(text[length]) & 0xc0) == 0x80) length--;
  }
  std::memcpy(target, text.data(), length);
  target[length] = '\0';
}

inline void fill(tdn_error &error, const Failure &failure) {
  error = {};
  error.code = failure.code;
  error.system_errno = failure.systemErrno;
  error.keyspace = failure.keyspace;
  error.has_row = failure.hasRow;
  error.row = failure.row;
  error.page = failure.page;
  error.process = failure.process;
  copyText(error.file, sizeof(error.file), failure.file);
  copyText(error.message, sizeof(error.message), failure.message);
}

// Runs `body` and converts its exception into an error. Returns true if it threw nothing.
template <class Body>
bool catchErrors(tdn_error *error, Body body) noexcept {
  try {
    body();
    *error = {};
    error->page = -1;
    return true;
  } catch (const Failure &failure) {
    fill(*error, failure);
  } catch (const SealingError &sealing) {
    fill(*error, failureOf(sealing));
  } catch (const Conflict &) {
    *error = {};
    error->code = TDN_CONFLICT;
    error->page = -1;
    copyText(error->message, sizeof(error->message), "records are not what the batch expected; nothing was applied");
  } catch (const std::bad_alloc &) {
    *error = {};
    error->code = TDN_NO_MEMORY;
    error->page = -1;
    copyText(error->message, sizeof(error->message), "there is not enough memory");
  } catch (const std::exception &exception) {
    *error = {};
    error->code = TDN_IO;
    error->page = -1;
    std::strncpy(error->message, exception.what(), sizeof(error->message) - 1);
  }
  return false;
}

}  // namespace todana
