#include "Failure.h"

#include <cerrno>
#include <cstring>

namespace todana {

Failure Failure::fromErrno(int systemErrno, const std::string &doing, const std::string &file) {
  tdn_code code = TDN_IO;
  switch (systemErrno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      code = TDN_NO_SPACE;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = TDN_NO_PERMISSION;
      break;
    case ENOMEM:
      code = TDN_NO_MEMORY;
      break;
    default:
      break;
  }
  Failure failure(code, doing + ": " + std::strerror(systemErrno), file);
  failure.systemErrno = systemErrno;
  return failure;
}

}  // namespace todana
