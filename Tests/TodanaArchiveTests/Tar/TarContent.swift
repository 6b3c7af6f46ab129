import Glibc
import Testing

@testable import TodanaArchive

/// The entries of a tar with their data, without holes.
struct TarContent: Equatable {
  struct Item: Equatable {
    var tar: TarEntry
    var data: [UInt8] = []
  }

  var items: [Item] = []
  var hasEnd = false

  init() {}

  init(_ reader: TarReader) throws {
    while let entry = try reader.next() {
      var item = Item(tar: entry)
      while let piece = try reader.readData() { item.data += piece.bytes }
      items.append(item)
    }
    hasEnd = reader.hasEnd
  }

  init(path: String) throws { self = try TarContent(TarReader(path: Array(path.utf8))) }

  subscript(path: String) -> Item? { items.first { $0.tar.path == Array(path.utf8) } }
}

extension TarWriter {
  /// Writes a tree; returns the content that a reader must find.
  func add(tree path: [UInt8]) throws -> TarContent {
    let tree = try TarTree(path, onEntry: { try add($0) }, onData: { try write($0, at: $1) })
    try finish()
    return tree.content
  }

  func add(_ path: String, _ entry: FileEntry, data: [UInt8] = []) throws {
    var entry = entry
    entry.byteCount = Int64(data.count)
    try add(TarEntry(path: Array(path.utf8), entry: entry))
    if !data.isEmpty { try write(data.span, at: 0) }
  }
}

/// A file descriptor that is closed with this object.
final class TestFile {
  let descriptor: CInt

  init(writing path: String) throws {
    descriptor = unsafe open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
  }

  deinit { close(descriptor) }

  func writer() throws -> TarWriter { try TarWriter(to: descriptor, name: Array("test.tar".utf8)) }
}

/// Returns the bytes of a tar that is written in memory.
func tarBytes(_ body: (TarWriter) throws -> Void) throws -> [UInt8] {
  final class Bytes { var bytes: [UInt8] = [] }
  let bytes = Bytes()
  let writer = try unsafe TarWriter { unsafe bytes.bytes.append(contentsOf: $0) }
  try body(writer)
  try writer.finish()
  return bytes.bytes
}

/// Returns the error that an operation on a tar threw, if any.
func tarError<Result>(of body: () throws -> Result) -> ArchiveError? {
  do {
    _ = try body()
    return nil
  } catch {
    let known = error as? ArchiveError
    if known?.code != .tar { Issue.record(error) }
    return known
  }
}
