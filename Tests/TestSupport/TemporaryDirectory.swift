import Foundation

/// A new empty directory, which is removed when the object is released.
public final class TemporaryDirectory: Sendable {
  public let path: String

  /// Creates the directory.
  ///
  /// - Parameter isInMemory: Whether the directory is in a file system in memory, if the system has one. Tests that
  ///   need no disk then do not wait for thousands of flushes.
  /// - Throws: An error if the directory cannot be created.
  public init(isInMemory: Bool = false) throws {
    let memory = URL(filePath: "/dev/shm")
    let hasMemory = isInMemory && FileManager.default.isWritableFile(atPath: memory.path)
    let parent = hasMemory ? memory : FileManager.default.temporaryDirectory
    let url = parent.appending(path: "todana-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path of a file in the directory.
  public func path(_ name: String) -> String { path + "/" + name }
}
