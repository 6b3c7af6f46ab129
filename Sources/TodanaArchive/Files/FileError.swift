internal import CFileSystem
internal import Glibc

/// An error of reading or restoring a file: the operation, the path, and the cause.
public struct FileError: Error, Sendable, Hashable {
  /// The kinds of causes that a caller may handle.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The file does not exist, or no longer (`ENOENT`, `ESTALE`).
    case vanished
    /// The process lacks the permission (`EACCES`, `EPERM`).
    case notPermitted
    /// The disk is full, or the user's quota is used up (`ENOSPC`, `EDQUOT`).
    case noSpace
    /// The file system is mounted read-only (`EROFS`).
    case readOnly
    /// The name is not a single path component: empty, ".", "..", with "/" or NUL, or longer than 255 bytes.
    case badName
    /// A value that no file can have, such as 1,000,000,000 nanoseconds (`EINVAL`).
    case badValue
    /// A symbolic link is in the place of a directory or file (`ELOOP`, `EXDEV`); links are not followed.
    case linkInTheWay
    /// Something other than a directory is in the place of a directory (`ENOTDIR`).
    case notADirectory
    /// The path now leads to a different file than before.
    case changed
    /// An existing file must not be replaced, or cannot be (`EEXIST`, `EISDIR`), such as a directory with content
    /// (`ENOTEMPTY`).
    case exists
    /// The file system does not support the operation or value (`ENOTSUP`, `ENOSYS`).
    case notSupported
    /// A value is larger than the file system or this library supports.
    ///
    /// From `EFBIG`, `E2BIG`, `ENAMETOOLONG`, `ERANGE` and `EOVERFLOW`.
    case tooLarge
    /// The process or the system has no free file descriptor (`EMFILE`, `ENFILE`).
    case tooManyOpenFiles
    /// Skipped intentionally, such as setting an owner if the process does not run as root.
    case skipped
    /// A temporary file or directory of an extraction that was interrupted or is still running.
    case unfinished
    /// Any other cause, such as `EIO`; see ``FileError/errorNumber``.
    case other
  }

  /// The operation that failed.
  @nonexhaustive public enum Operation: String, Sendable, Hashable {
    case open
    case list
    case readStatus = "access"
    case readLink = "read the link"
    case readData = "read"
    case readAttributes = "read the attributes of"
    case makeDirectory = "create the directory"
    case makeFile = "create the file"
    case makeLink = "create the link"
    case makeSpecialFile = "create the special file"
    case writeData = "write"
    case setSize = "set the size of"
    case flush
    case close
    case setOwner = "set the owner of"
    case setPermissions = "set the permissions of"
    case setAttribute = "set an attribute of"
    case setTimes = "set the time of"
    case readFlags = "read the flags of"
    case setFlags = "set the flags of"
    case place = "move into place"
    case remove
    case add
  }

  public let operation: Operation
  /// The path in bytes; it begins with the path that the caller gave.
  public let path: [UInt8]
  public let code: Code
  /// The C library's `errno`; 0 if no system call failed.
  public let errorNumber: CInt
  /// An additional explanation; nil if there is none.
  public let detail: String?

  init(
    _ operation: Operation, _ path: [UInt8], _ code: Code, errorNumber: CInt = 0, detail: String? = nil
  ) {
    self.operation = operation
    self.path = path
    self.code = code
    self.errorNumber = errorNumber
    self.detail = detail
  }

  func with(detail: String) -> FileError {
    FileError(operation, path, code, errorNumber: errorNumber, detail: detail)
  }
}

extension FileError: CustomStringConvertible {
  /// A description on one line without control characters, even if the path contains some.
  public var description: String {
    var text = "Cannot \(operation.rawValue) “\(printable(path))”: \(reason)"
    if let detail { text += " (\(detail))" }
    return text
  }

  private var reason: String {
    switch code {
    case .badName: "this is not the name of a file in a directory"
    case .linkInTheWay: "a symbolic link is in its place, and is not followed"
    case .notADirectory: "a file is in the place of the directory"
    case .changed: "it was replaced by another file"
    case .exists where errorNumber == 0: "an existing file is not replaced"
    case .skipped: "left out"
    case .notSupported where errorNumber == 0: "the file system did not keep it"
    case .vanished where errorNumber == 0: "it no longer exists"
    case .unfinished: "an extraction was interrupted here, or is running: extract again, or remove its files"
    default: errorNumber == 0 ? "\(code)" : Self.text(of: errorNumber)
    }
  }
}

extension FileError {
  /// Creates an error from an `errno`; the only place that maps error numbers to codes.
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

  /// Returns the C library's message for an error number.
  static func text(of errorNumber: CInt) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      // The function always ends the text with NUL.
      unsafe tdf_describe_error(errorNumber, start, buffer.count)
      return unsafe String(cString: start)
    }
  }
}
