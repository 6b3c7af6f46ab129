internal import Todana

/// The rows of content that no save has committed yet, which indexes do not know.
struct PendingRows {
  /// What one row takes in memory until then, about, besides its content.
  private static let rowByteCount = 512
  /// What a page of the store's files takes that a save changes: as it was, as it is, and in the log.
  private static let changedPageByteCount = 8 << 10
  /// Names come in no order, so each row is noted in a page of its own, unless all of its kind are in few pages.
  private static let rowsPerPage: RowID = 64

  private struct Rows {
    var byNames: [ContentName: RowID] = [:]
    var last: RowID = 0

    mutating func add(_ name: ContentName, _ row: RowID) {
      byNames[name] = row
      last = max(last, row)
    }

    mutating func removeAll() { byNames.removeAll(keepingCapacity: true) }

    var byteCount: Int {
      let pageCount = min(RowID(byNames.count), last / rowsPerPage)
      return byNames.count * rowByteCount + Int(pageCount) * changedPageByteCount
    }
  }

  private var contentRows = Rows()
  private var smallFileRows = Rows()
  private var pageRows = Rows()
  private var compressedByteCount = 0

  var contents: some Collection<ContentName> { contentRows.byNames.keys }
  var smallFiles: some Collection<ContentName> { smallFileRows.byNames.keys }

  /// The memory that they take, about, and that saving them does.
  var byteCount: Int { compressedByteCount + contentRows.byteCount + smallFileRows.byteCount + pageRows.byteCount }

  func row(_ kind: KnownDamage.Kind, _ name: ContentName) -> RowID? {
    switch kind {
    case .content: contentRows.byNames[name]
    case .smallFile: smallFileRows.byNames[name]
    case .page: pageRows.byNames[name]
    }
  }

  mutating func add(_ object: some NamedObject, _ row: RowID) {
    switch type(of: object).kind {
    case .content: contentRows.add(object.name, row)
    case .smallFile: smallFileRows.add(object.name, row)
    case .page: pageRows.add(object.name, row)
    }
    compressedByteCount += object.compressedByteCount
  }

  mutating func removeAll() {
    contentRows.removeAll()
    smallFileRows.removeAll()
    pageRows.removeAll()
    compressedByteCount = 0
  }
}
