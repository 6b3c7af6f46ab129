internal import CFileSystem
internal import Glibc

/// Why something could not be read or restored: what was done, to what, and what the system said.
public struct FileError: Error, Sendable, Hashable {
  /// What a caller may act on.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// There is nothing of that name, or no longer (`ENOENT`, `ESTALE`).
    case vanished
    /// `EACCES`, `EPERM`.
    case notPermitted
    /// The disk, or what of it one may use, is full (`ENOSPC`, `EDQUOT`).
    case noSpace
    /// `EROFS`.
    case readOnly
    /// A name that is not one step below a directory: empty, ".", "..", with "/" or NUL, or longer than 255 bytes.
    case badName
    /// A value that no file has, such as 1,000,000,000 nanoseconds (`EINVAL`).
    case badValue
    /// A symbolic link stands where a directory or a file is to be (`ELOOP`).
    case linkInTheWay
    /// Something else stands where a directory is to be (`ENOTDIR`).
    case notADirectory
    /// Something else is there now than was seen before.
    case changed
    /// Something is there, and is not to be replaced, or cannot be, as a directory with content (`EEXIST`, `ENOTEMPTY`).
    case exists
    /// The file system cannot have it (`ENOTSUP`, `ENOSYS`).
    case notSupported
    /// More than the file system, or this library, takes (`EFBIG`, `E2BIG`, `ENAMETOOLONG`).
    case tooLarge
    /// `EMFILE`, `ENFILE`.
    case tooManyOpenFiles
    /// Left out by intent, as owners are for all users but root.
    case skipped
    /// A file that an interrupted or running extraction has made under a name of its own.
    case unfinished
    /// Anything else; ``FileError/errorNumber`` tells, `EIO` for one.
    case other
  }

  /// What was being done.
  @nonexhaustive public enum Operation: String, Sendable, Hashable {
    case open
    case list
    case readStatus = "look at"
    case readLink = "read the link"
    case readData = "read"
    case readAttributes = "read attributes of"
    case makeDirectory = "make the directory"
    case makeFile = "make the file"
    case makeLink = "make the link"
    case makeSpecialFile = "make the special file"
    case writeData = "write"
    case setSize = "set the size of"
    case flush
    case close
    case setOwner = "set the owner of"
    case setPermissions = "set permissions of"
    case setAttribute = "set an attribute of"
    case setTimes = "set the time of"
    case readFlags = "read flags of"
    case setFlags = "set flags of"
    case place = "put in place"
    case remove
    case add
  }

  public let operation: Operation
  /// The path, as the caller began it, in bytes.
  public let path: [UInt8]
  public let code: Code
  /// The C library's `errno`; 0 where no call of the system failed.
  public let errorNumber: CInt
  /// What there is to say besides.
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
  /// One line without control characters, whatever the path holds.
  public var description: String {
    var text = "Cannot \(operation.rawValue) “\(printable(path))”: \(reason)"
    if let detail { text += " (\(detail))" }
    return text
  }

  private var reason: String {
    switch code {
    case .badName: "this is not a name of one step beneath a directory"
    case .linkInTheWay: "a symbolic link stands in its place, which is not followed"
    case .notADirectory: "something else stands where the directory is to be"
    case .changed: "something else is there now than was seen before"
    case .exists where errorNumber == 0: "something is there that is not to be replaced"
    case .skipped: "left out"
    case .notSupported where errorNumber == 0: "it was not kept"
    case .vanished where errorNumber == 0: "it is not there any more"
    case .unfinished: "an extraction was interrupted here, or is running: extract again, or remove what it has left"
    default: errorNumber == 0 ? "\(code)" : Self.text(of: errorNumber)
    }
  }
}

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
