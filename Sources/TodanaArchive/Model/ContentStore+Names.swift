internal import Todana

// Finding and storing content by its name.
extension ContentStore {
  /// Builds the indexes of names that an imported or salvaged archive lacks; to be called before names are looked up.
  ///
  /// The store would build them in the background, and scan all rows for each name until they are complete.
  func buildIndexes(_ progress: () throws -> Void) throws {
    try store.buildIndexes { _ in try progress() }
  }

  /// Returns the row of content that is stored or pending, unless it is known to be damaged or incomplete.
  func row<T: NamedObject>(of type: T.Type, named name: ContentName) throws -> RowID? {
    if let row = pending.row(T.kind, name) { return row }
    guard let row = try firstRow(type, name) else { return nil }
    let current = try damage.current(.init(kind: T.kind, row: row))
    guard let current, T.self == StoredSmallFile.self else { return current }
    return try isSmallFileComplete(current) ? current : nil
  }

  enum FoundSmallFile {
    case none
    case sound(RowID)
    /// A salvage has lost its group.
    case incomplete(RowID)
  }

  /// Finds the small file that is stored under a name, unless it is known to be damaged.
  func smallFile(named name: ContentName) throws -> FoundSmallFile {
    guard let row = try firstRow(StoredSmallFile.self, name),
      let current = try damage.current(.init(kind: .smallFile, row: row))
    else { return .none }
    return try isSmallFileComplete(current) ? .sound(current) : .incomplete(current)
  }

  /// Notes that a small file is incomplete, so that inserting it again completes it in all snapshots.
  func noteIncomplete(_ row: RowID) throws { try changeDamage { try $0.add(.init(kind: .smallFile, row: row)) } }

  /// Returns the query for the object that was stored first under a name.
  static func first<T: NamedObject>(_ type: T.Type, named name: ContentName) -> Query<T> {
    T.where { $0.name == name && $0.copy == 0 }.limit(1)
  }

  private func firstRow<T: NamedObject>(_ type: T.Type, _ name: ContentName) throws -> RowID? {
    try store.ids(Self.first(T.self, named: name), includingPending: false).first?.rowID
  }

  /// Inserts content that ``row(of:named:)`` did not find: new content, or the replacement of damaged content.
  func insert<T: NamedObject>(_ stored: T) throws -> RowID {
    let place = try damagedPlace(T.self, stored.name)
    let row: RowID
    if let place, let small = stored as? StoredSmallFile, try redirect(place, to: small) {
      row = place.row
    } else {
      if let place { stored.copy = try damage.nextCopy(of: place) }
      row = try store.insert(stored).rowID
      if let place { try changeDamage { try $0.replace(place, by: row) } }
    }
    pending.add(stored, row)
    return row
  }

  private func damagedPlace<T: NamedObject>(_ type: T.Type, _ name: ContentName) throws -> KnownDamage.Place? {
    guard try !damage.isEmpty, let row = try firstRow(type, name) else { return nil }
    let place = KnownDamage.Place(kind: T.kind, row: row)
    return try damage.contains(place) ? place : nil
  }

  /// Points a small file whose group is damaged to its new group, in all snapshots.
  ///
  /// - Returns: False if the small file itself is damaged.
  private func redirect(_ place: KnownDamage.Place, to stored: StoredSmallFile) throws -> Bool {
    guard let known = try soundObject(StoredSmallFile.self, place.row) else { return false }
    try store.update(known) {
      $0.group = stored.group
      $0.offset = stored.offset
      $0.byteCount = stored.byteCount
    }
    try changeDamage { try $0.remove(place) }
    return true
  }
}

/// The rows of content that no save has committed yet, and that are not in the indexes.
struct PendingRows {
  /// The approximate memory of one pending row, without its content.
  private static let rowByteCount = 512
  /// The memory of one changed page of the store's files: the old page, the new page, and the log.
  private static let changedPageByteCount = 8 << 10
  /// The number of rows in a page.
  ///
  /// Names are in random order, so each pending row changes a different page, until all pages of its kind are changed.
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

  /// The approximate memory that the pending rows and their save take.
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
