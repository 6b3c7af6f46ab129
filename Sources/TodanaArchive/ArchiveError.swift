/// What went wrong with an archive.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable {
    /// The store is no archive.
    case notAnArchive
    /// What was to be unpacked is no pack.
    case notAPack
    /// It was written by a newer program.
    case newerFormat
    /// There is something at the place where an archive is to be made.
    case exists
    /// The directory that an archive is to be made in does not exist.
    case noDirectory
    /// No snapshot has that id, or several begin so.
    case snapshotNotFound
    /// A snapshot has nothing at a path, or something that cannot be read as a file.
    case fileNotFound
    /// Something in the archive, or in a pack, is not as it was written.
    case damaged
    /// A value that cannot be, of an option for example.
    case invalidArgument
    /// The disk has too little free space.
    case noSpace
    /// The system makes no thread, because of a limit or for lack of memory.
    case noThread
    /// libcrypto failed.
    case cryptography
    /// A compressor failed.
    case compression
    /// A tar stream could not be written, or is not one; ``ArchiveError/underlying`` has the system's error, if any.
    case tar
  }

  public let code: Code
  public let message: String
  public let underlying: (any Error)?

  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  public var description: String {
    underlying.map { "\(message) (\($0))" } ?? message
  }
}
