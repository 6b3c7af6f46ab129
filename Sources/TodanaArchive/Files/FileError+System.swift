internal import CFileSystem
internal import Glibc

extension FileError {
  /// The one place that says what an error of the system means.
  init(_ operation: Operation, _ path: [UInt8], errorNumber: CInt, detail: String? = nil) {
    self.init(operation, path, Self.code(of: errorNumber), errorNumber: errorNumber, detail: detail)
  }

  private static func code(of errorNumber: CInt) -> Code {
    switch errorNumber {
    case ENOENT, ESTALE: .vanished
    case EACCES, EPERM: .notPermitted
    case ENOSPC, EDQUOT: .noSpace
    case EROFS: .readOnly
    case EINVAL: .badValue
    case ELOOP, EXDEV: .linkInTheWay
    case ENOTDIR: .notADirectory
    case EEXIST, ENOTEMPTY, EISDIR: .exists
    case EOPNOTSUPP, ENOSYS: .notSupported
    case EFBIG, E2BIG, ENAMETOOLONG, ERANGE, EOVERFLOW: .tooLarge
    case EMFILE, ENFILE: .tooManyOpenFiles
    default: .other
    }
  }

  /// The C library's words for an error.
  static func text(of errorNumber: CInt) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      // Ends in NUL, as the function promises.
      unsafe tdf_describe_error(errorNumber, start, buffer.count)
      return unsafe String(cString: start)
    }
  }
}
