/// A directory of a snapshot, as messages name it.
struct DirectoryName: CustomStringConvertible {
  let description: String

  /// Creates the name.
  ///
  /// - Parameter path: The path in the snapshot; empty for the directory that contains all paths.
  init(_ path: [UInt8]) {
    description = path.isEmpty ? "top directory of the snapshot" : "directory “\(printable(path))”"
  }
}
