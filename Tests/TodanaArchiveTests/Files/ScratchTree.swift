import Foundation
import Glibc
import TestSupport

/// A new empty directory that is removed with its contents when this object is released.
final class ScratchTree: Sendable {
  let path: String

  /// Makes the directory, in memory if requested and if the system has a file system in memory.
  init(isInMemory: Bool = false) throws {
    let hasMemory = isInMemory && FileManager.default.isWritableFile(atPath: "/dev/shm")
    let parent = hasMemory ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    path = parent + "/todana-files-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  // Trees in tests are deeper than the longest path. `rm` descends step by step.
  deinit { _ = try? Command.run("rm", ["-rf", "--", path]) }

  func path(_ name: String) -> String { path + "/" + name }
  func bytes(_ name: String) -> [UInt8] { Array(path(name).utf8) }

  func make(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  func text(of name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path(name))), as: UTF8.self)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  func names(_ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
  }
}

/// The rights and capabilities that some tests need.
enum Environment {
  static let isRoot = geteuid() == 0
  static let needsRoot = "makes devices, and files of other owners, with all attributes: needs root with all its rights"

  /// Whether this process is root and can make everything in a torture tree.
  ///
  /// Root in a container may lack rights, and some file systems lack attributes.
  static let hasAllRights: Bool = {
    guard isRoot else { return false }
    return (try? [true, false].allSatisfy { try makesEverything(in: ScratchTree(isInMemory: $0)) }) ?? false
  }()

  private static func makesEverything(in directory: ScratchTree) throws -> Bool {
    do {
      try TortureTree(path: directory.path("everything")).make()
      return true
    } catch {
      print("Tests of all that files can have are left out: \(error)")
      return false
    }
  }
}
