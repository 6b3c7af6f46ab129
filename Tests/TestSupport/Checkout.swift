public import Foundation

/// The directory of this package, whose files tests compare with what the library does.
public enum Checkout {
  public static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Returns the location of a file by its path within the package.
  public static func file(_ path: String) -> URL { directory.appending(path: path) }

  /// Returns the text of a file by its path within the package.
  public static func text(_ path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }
}
