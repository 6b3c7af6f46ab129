import Foundation

/// A new empty directory that goes when the value is let go of.
public final class TemporaryDirectory: Sendable {
  public let path: String

  /// - Parameter isInMemory: Where the system has a file system in memory, it is there: for tests that need no disk, and
  ///   would wait for its flushes thousands of times.
  /// - Throws: Where the directory cannot be made.
  public init(isInMemory: Bool = false) throws {
    let memory = URL(filePath: "/dev/shm")
    let hasMemory = isInMemory && FileManager.default.isWritableFile(atPath: memory.path)
    let parent = hasMemory ? memory : FileManager.default.temporaryDirectory
    let url = parent.appending(path: "todana-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of something in the directory.
  public func path(_ name: String) -> String { path + "/" + name }
}
