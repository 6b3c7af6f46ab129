// The exception of this target. The functions of the C interface convert it into a `tdn_error`.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "../include/StorageEngineErrors.h"

namespace todana {

// An error with its code and place. Every layer throws it; ErrorBoundary (Interface) catches it. A value: any thread.
struct Failure : std::exception {
  tdn_code code;
  int systemErrno = 0;
  uint32_t keyspace = 0;
  bool hasRow = false;
  uint64_t row = 0;
  int64_t page = -1;
  int64_t process = 0;
  std::string file;
  std::string message;

  Failure(tdn_code code, std::string message, std::string file = {})
      : code(code), file(std::move(file)), message(std::move(message)) {}

  const char *what() const noexcept override { return message.c_str(); }

  // Makes the failure of a system call. `errno` determines the code; `doing` names the attempt ("cannot write the
  // log").
  static Failure fromErrno(int systemErrno, const std::string &doing, const std::string &file);
};

}  // namespace todana
