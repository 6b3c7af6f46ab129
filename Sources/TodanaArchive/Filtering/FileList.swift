/// The list of paths given by `--files-from`.
public struct FileList: Sendable {
  /// The separator between paths.
  public enum Separator: Sendable {
    /// One path a line; a carriage return is part of the path.
    case lineFeed
    /// A NUL after each path, as `find -print0` writes it; required for paths with line feeds.
    case nul
    /// ``nul`` if the list contains a NUL, which no path can contain; ``lineFeed`` otherwise.
    case automatic
  }

  /// The paths in the order of the list, without duplicates and empty ones.
  public let paths: [[UInt8]]

  /// Parses a list.
  ///
  /// Spaces and comment characters are part of a path. Different spellings of one path are different paths.
  ///
  /// - Throws: ``ArgumentError/Code/invalidFileList`` for a NUL in a list separated by line feeds.
  public init(_ content: [UInt8], separator: Separator = .automatic) throws(ArgumentError) {
    let firstNUL = content.firstIndex(of: 0)
    if let firstNUL, separator == .lineFeed {
      let line = content[..<firstNUL].count { $0 == UInt8(ascii: "\n") } + 1
      throw ArgumentError(
        .invalidFileList, "Line \(line) of the list of files contains a NUL: its paths may be NUL-separated.")
    }
    let isNULSeparated = separator == .nul || firstNUL != nil
    var seen: Set<ArraySlice<UInt8>> = []
    paths = content.split(separator: isNULSeparated ? 0 : UInt8(ascii: "\n"))
      .filter { seen.insert($0).inserted }
      .map { Array($0) }
  }
}
