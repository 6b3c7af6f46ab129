internal import Todana

/// The rows of content that no save has committed yet, which indexes do not know.
struct PendingRows {
  /// What one row takes in memory until then, about, besides its content.
  private static let rowByteCount = 512
  /// The same where there are so many rows that each is saved at a place of its own in the store's files, of which the
  /// system takes up to 2 MiB into memory, but takes them back after the save.
  private static let farRowByteCount = 128 << 10
  private static let manyRows = 1 << 20

  private(set) var contents: [ContentName: RowID] = [:]
  private(set) var smallFiles: [ContentName: RowID] = [:]
  private(set) var pages: [ContentName: RowID] = [:]
  /// The memory that they take.
  private(set) var byteCount = 0

  func row(_ kind: KnownDamage.Kind, _ name: ContentName) -> RowID? {
    switch kind {
    case .content: contents[name]
    case .smallFile: smallFiles[name]
    case .page: pages[name]
    }
  }

  mutating func add(_ object: some NamedObject, _ row: RowID) {
    switch type(of: object).kind {
    case .content: contents[object.name] = row
    case .smallFile: smallFiles[object.name] = row
    case .page: pages[object.name] = row
    }
    byteCount += object.packedByteCount + (row > Self.manyRows ? Self.farRowByteCount : Self.rowByteCount)
  }

  mutating func removeAll() {
    contents.removeAll(keepingCapacity: true)
    smallFiles.removeAll(keepingCapacity: true)
    pages.removeAll(keepingCapacity: true)
    byteCount = 0
  }
}
