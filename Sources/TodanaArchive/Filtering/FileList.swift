/// The paths of `--files-from`.
public struct FileList: Sendable {
  /// What stands between paths.
  public enum Separator: Sendable {
    /// One path a line. A carriage return belongs to the path.
    case lineFeed
    /// As `find -print0` writes it: the only way for paths with line feeds.
    case nul
    /// ``nul`` if there is one, for no path has any; ``lineFeed`` otherwise.
    case automatic
  }

  /// In the order of the list, each once; none is empty.
  public let paths: [[UInt8]]

  /// Reads a list.
  ///
  /// Nothing is trimmed, no line is a comment, and two spellings of one path are two paths.
  ///
  /// - Throws: ``ArgumentError/Code/invalidFileList`` for a NUL byte in a list of lines.
  public init(_ content: [UInt8], separator: Separator = .automatic) throws(ArgumentError) {
    let firstNUL = content.firstIndex(of: 0)
    if let firstNUL, separator == .lineFeed {
      let line = content[..<firstNUL].count { $0 == UInt8(ascii: "\n") } + 1
      throw ArgumentError(
        .invalidFileList, "Line \(line) of the list of files has a NUL byte: its paths may be NUL-separated.")
    }
    let isNULSeparated = separator == .nul || firstNUL != nil
    var seen: Set<ArraySlice<UInt8>> = []
    paths = content.split(separator: isNULSeparated ? 0 : UInt8(ascii: "\n"))
      .filter { seen.insert($0).inserted }
      .map { Array($0) }
  }
}
