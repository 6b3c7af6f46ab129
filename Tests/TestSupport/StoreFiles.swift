public import Foundation
import Todana

/// A closed store in a directory, with songs and nodes, whose files a test changes directly.
public final class StoreFiles {
  public static let songCount = 3_000
  public static let nodeCount = 20

  public let directory: TemporaryDirectory
  public var path: String { directory.path("store") }

  public init() throws {
    directory = try TemporaryDirectory()
    let store = try Store(.directory(path), classes: [Song.self, Node.self])
    for index in 1...Self.songCount { try store.insert(Song(Self.title(index), seconds: UInt32(index))) }
    for _ in 0..<Self.nodeCount { try store.insert(Node()) }
    try store.writeNamedBuffer("buffer") { $0.writeString("content") }
    try store.saveChanges()
    try store.close()
  }

  public static func title(_ index: Int) -> String { "song \(index)" }

  /// Changes the bytes of the file whose name contains `part`; checksum files are skipped.
  public func change(_ part: String, _ body: (inout [UInt8]) throws -> Void) throws {
    let url = try url(part)
    var bytes = Array(try Data(contentsOf: url))
    try body(&bytes)
    try Data(bytes).write(to: url)
  }

  /// Returns the location of the file whose name contains `part`; checksum files are skipped.
  public func url(_ part: String) throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    guard let name = names.first(where: { $0.contains(part) && !$0.hasSuffix(".sums") }) else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "\(path)/*\(part)*"])
    }
    return URL(filePath: path + "/" + name)
  }

  /// Returns each file's bytes and modification time.
  ///
  /// The lock file is left out: it names the process that opened the store last.
  public func contents() throws -> [String: File] {
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

  /// The bytes and the modification time of a file, which show whether the file was written to.
  public struct File: Equatable {
    public let bytes: Data
    public let modified: Date?
  }
}
