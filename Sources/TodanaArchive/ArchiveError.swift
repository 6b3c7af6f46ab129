/// An error of an archive operation.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable {
    /// The store is not an archive.
    case notAnArchive
    /// The input to unpack is not a pack.
    case notAPack
    /// The archive or pack was written by a newer version of Todana.
    case newerFormat
    /// The path for a new archive already exists.
    case exists
    /// The parent directory of a new archive does not exist.
    case noDirectory
    /// No snapshot has the given id, or several ids begin with it.
    case snapshotNotFound
    /// The snapshot has no entry at a path, or its entry cannot be read as a file.
    case fileNotFound
    /// A part of the archive or of a pack differs from its original state, or is missing.
    case damaged
    /// An argument has an invalid value.
    case invalidArgument
    /// The disk has too little free space.
    case noSpace
    /// The system could not create a thread, because of a limit or for lack of memory.
    case noThread
    /// libcrypto failed.
    case cryptography
    /// A compressor failed.
    case compression
    /// A tar stream could not be read or written, or the input is not a tar; ``ArchiveError/underlying`` is the
    /// system's error, if any.
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
