import Foundation
import TestSupport
import Testing
import Todana

/// A closed store in a directory, with songs and nodes, whose files a test changes directly.
final class StoreFiles {
  static let songCount = 3_000
  static let nodeCount = 20

  let directory: TemporaryDirectory
  var path: String { directory.path("store") }

  init() throws {
    directory = try TemporaryDirectory()
    let store = try Store(.directory(path), classes: [Song.self, Node.self])
    for index in 1...Self.songCount { try store.insert(Song(Self.title(index), seconds: UInt32(index))) }
    for _ in 0..<Self.nodeCount { try store.insert(Node()) }
    try store.writeNamedBuffer("buffer") { $0.writeString("content") }
    try store.saveChanges()
    try store.close()
  }

  static func title(_ index: Int) -> String { "song \(index)" }

  /// Changes the bytes of the file whose name contains `part`; checksum files are skipped.
  func change(_ part: String, _ body: (inout [UInt8]) throws -> Void) throws {
    let url = try url(part)
    var bytes = Array(try Data(contentsOf: url))
    try body(&bytes)
    try Data(bytes).write(to: url)
  }

  func url(_ part: String) throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    let name = names.first { $0.contains(part) && !$0.hasSuffix(".sums") }
    return URL(filePath: path + "/" + (try #require(name, "\(names)")))
  }

  /// Returns each file's bytes and modification time.
  ///
  /// The lock file is left out: it names the process that opened the store last.
  func contents() throws -> [String: File] {
    let manager = FileManager.default
    var files: [String: File] = [:]
    for name in try manager.contentsOfDirectory(atPath: path) where name != "lock" {
      let attributes = try manager.attributesOfItem(atPath: path + "/" + name)
      files[name] = File(
        bytes: try Data(contentsOf: URL(filePath: path + "/" + name)),
        modified: attributes[.modificationDate] as? Date)
    }
    return files
  }

  struct File: Equatable {
    let bytes: Data
    let modified: Date?
  }
}
