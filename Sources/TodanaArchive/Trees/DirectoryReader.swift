internal import Todana

/// Gives the entries of one directory, in the order of their names, a page at a time.
struct DirectoryReader: ~Copyable {
  private let content: ContentStore
  private var pages: ArraySlice<RowID>
  private var decoder: TreePageDecoder?
  private var lastName: [UInt8] = []
  /// The page that the last entry, or the last failure, came from.
  private(set) var page: RowID = 0

  init(_ pages: [RowID], of content: ContentStore) {
    self.content = content
    self.pages = pages[...]
  }

  /// The next entry; nil at the end.
  ///
  /// After ``ArchiveError/Code/damaged`` it goes on with the next page.
  mutating func next() throws -> ArchiveEntry? {
    while true {
      if var current = decoder.take() {
        if let entry = try current.next() {
          decoder = consume current
          return entry
        }
        lastName = current.endName
      }
      guard let row = pages.popFirst() else { return nil }
      page = row
      decoder = try TreePageDecoder(content.page(row), pageRow: row, after: lastName)
    }
  }
}
