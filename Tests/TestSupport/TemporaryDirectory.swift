import Foundation

/// A new empty directory that goes when the value is let go of.
public final class TemporaryDirectory: Sendable {
  public let path: String

  public init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "todana-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of something in the directory.
  public func path(_ name: String) -> String { path + "/" + name }
}
