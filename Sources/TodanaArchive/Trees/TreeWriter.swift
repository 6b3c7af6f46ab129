internal import Todana

/// Stores directories as pages; an unchanged page is found by its name, and not stored again.
///
/// A directory with many entries has several pages. Their boundaries depend on the names of entries, so a change in one
/// page leaves the others unchanged.
///
/// To be used on the thread of the store.
final class TreeWriter {
  /// The size from which a page ends at the next boundary name; at `mostByteCount` it ends in any case.
  private static let wantedByteCount = 32 << 10
  private static let mostByteCount = 256 << 10

  private final class Level {
    var encoder = TreePageEncoder()
    var pages: [RowID] = []
    /// The entry of the directory; nil for the root.
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

  /// Ends the current directory, and appends its entry to the one above.
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

  /// Ends the root, and returns its pages.
  func finish() throws -> [RowID] {
    let level = levels[0]
    try endPage(of: level)
    return level.pages
  }

  /// Tests whether a page ends after a name, which is the case for one name in 64.
  ///
  /// The hash is FNV-1a with mixed bits. It is not part of a format, and need not be secret.
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
