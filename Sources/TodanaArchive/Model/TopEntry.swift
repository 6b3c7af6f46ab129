/// The metadata of the directory whose content is at the top of a snapshot, as a snapshot's record has it.
///
/// Format: a page of a directory (``TreePageEncoder``) with one entry, a directory named "-" without pages.
enum TopEntry {
  private static let name = [UInt8(ascii: "-")]

  static func bytes(_ entry: FileEntry) throws(ArchiveError) -> [UInt8] {
    var named = entry
    named.name = name
    var page = TreePageEncoder()
    try page.append(ArchiveEntry(file: named, content: .pages([])))
    return try page.finish()
  }

  /// The entry, without a name; nil for no bytes.
  ///
  /// - Throws: ``ArchiveError/Code/damaged`` for anything but one directory.
  static func entry(_ bytes: [UInt8]) throws(ArchiveError) -> FileEntry? {
    if bytes.isEmpty { return nil }
    var page = try TreePageDecoder(bytes, pageRow: .max, after: [])
    guard var entry = try page.next()?.file, entry.kind == .directory else {
      throw ArchiveError(.damaged, "What a snapshot says of its top is no directory.")
    }
    entry.name = []
    return entry
  }
}
