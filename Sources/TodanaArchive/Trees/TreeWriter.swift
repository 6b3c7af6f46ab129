internal import Todana

/// Stores directories as pages, each once: one that is as it was is the page that there is.
///
/// A directory of many entries has several pages. They end where the names of entries say so, so that a change in one
/// leaves the others as they were.
///
/// For the thread of the store.
final class TreeWriter {
  /// A page ends behind it where a name says so, and behind the other in any case.
  private static let wantedByteCount = 32 << 10
  private static let mostByteCount = 256 << 10

  private final class Level {
    var encoder = TreePageEncoder()
    var pages: [RowID] = []
    /// nil for the root.
    let entry: FileEntry?

    init(_ entry: FileEntry?) { self.entry = entry }
  }

  private let content: ContentStore
  private let namer: KeyedHash
  private let compressor: Compressor
  private var levels: [Level] = [Level(nil)]

  init(_ content: ContentStore, _ key: ArchiveKey, _ compression: Compression) throws {
    self.content = content
    namer = try key.makeNamer()
    compressor = try Compressor(compression)
  }

  func enter(_ entry: FileEntry) { levels.append(Level(entry)) }

  /// The directory is whole, and becomes an entry of the one above.
  func leave() throws {
    guard levels.count > 1, let level = levels.popLast(), let file = level.entry else {
      throw ArchiveError(.invalidArgument, "A directory was left that was not entered.")
    }
    try endPage(of: level)
    try append(ArchiveEntry(file: file, content: .pages(level.pages)))
  }

  func append(_ entry: ArchiveEntry) throws {
    let level = levels[levels.count - 1]
    try level.encoder.append(entry)
    let byteCount = level.encoder.byteCount
    if byteCount >= Self.mostByteCount || byteCount >= Self.wantedByteCount && Self.ends(behind: entry.file.name) {
      try endPage(of: level)
    }
  }

  /// The pages of the root, which is whole.
  func finish() throws -> [RowID] {
    let level = levels[0]
    try endPage(of: level)
    return level.pages
  }

  /// One name of 64, by FNV-1a, whose bits are mixed in the end: it is part of no format, and need not be secret.
  private static func ends(behind name: [UInt8]) -> Bool {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return ((hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15) >> 58 == 0
  }

  private func endPage(of level: Level) throws {
    if level.encoder.count == 0 { return }
    let bytes = try level.encoder.finish()
    let name = try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe namer.name(of: bytes)
    }
    if let row = try content.row(of: StoredTreePage.self, named: name) { return level.pages.append(row) }
    let (method, compressed) = try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe compressor.compress(bytes)
    }
    let page = StoredTreePage()
    page.name = name
    page.compressed = CompressedBytes(method: method, byteCount: bytes.count, bytes: compressed)
    level.pages.append(try content.insert(page))
  }
}
