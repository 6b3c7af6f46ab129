internal import Glibc

/// Paths from the root, without ".", ".." and repeated slashes.
///
/// They are worked out from the text alone: no link is followed, so a path keeps its meaning when what it leads through
/// is gone.
package enum AbsolutePath {
  private static let slash = UInt8(ascii: "/")

  /// The absolute form of a path.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the directory; ".." leads to the step above.
  ///   - directory: An absolute path.
  /// - Returns: `/home/ann/src` for `./src/` in `/home/ann`; "/" for the root.
  package static func bytes(of path: [UInt8], in directory: [UInt8]) -> [UInt8] {
    var steps: [ArraySlice<UInt8>] = []
    let whole = path.first == slash ? path : directory + [slash] + path
    for step in whole.split(separator: slash) {
      if step.elementsEqual("..".utf8) {
        _ = steps.popLast()
      } else if !step.elementsEqual(".".utf8) {
        steps.append(step)
      }
    }
    return [slash] + steps.joined(separator: [slash])
  }

  /// The process's working directory; nil if it was removed, or cannot be told.
  package static var workingDirectory: [UInt8]? {
    guard let text = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(text) }
    let bytes = unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))).map { UInt8(bitPattern: $0) }
    return bytes.first == slash ? bytes : nil
  }

  /// The directory that paths are relative to: the root if none is relative; nil if it cannot be told.
  static func base(of paths: [[UInt8]]) -> [UInt8]? {
    paths.allSatisfy { $0.first == slash } ? [slash] : workingDirectory
  }

  /// Paths as a set: absolute, sorted by bytes, each once, however they were written.
  static func set(of paths: [[UInt8]], in directory: [UInt8]) -> [[UInt8]] {
    Set(paths.map { bytes(of: $0, in: directory) }).sorted { $0.lexicographicallyPrecedes($1) }
  }
}
