internal import Glibc

/// Paths from the root, without ".", ".." and repeated slashes.
///
/// They are computed from the text alone, without following symbolic links. A path therefore keeps its meaning after
/// directories in it were removed.
package enum AbsolutePath {
  private static let slash = UInt8(ascii: "/")

  /// Returns the absolute form of a path.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the directory; ".." removes the component before it.
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

  /// The process's working directory; nil if it was removed, or cannot be determined.
  package static var workingDirectory: [UInt8]? {
    guard let text = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(text) }
    let bytes = unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))).map { UInt8(bitPattern: $0) }
    return bytes.first == slash ? bytes : nil
  }

  /// Returns the directory that paths are relative to.
  ///
  /// This is the root if all paths are absolute, and nil if the working directory cannot be determined.
  static func base(of paths: [[UInt8]]) -> [UInt8]? {
    paths.allSatisfy { $0.first == slash } ? [slash] : workingDirectory
  }

  /// Returns paths in absolute form, sorted by bytes and without duplicates, regardless of how they were written.
  static func set(of paths: [[UInt8]], in directory: [UInt8]) -> [[UInt8]] {
    Set(paths.map { bytes(of: $0, in: directory) }).sorted { $0.lexicographicallyPrecedes($1) }
  }
}
