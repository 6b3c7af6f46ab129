internal import Todana

// Finding and storing content by its name.
extension ContentStore {
  /// Builds the indexes of names that an imported or salvaged archive lacks; to be called before names are looked up.
  ///
  /// The store would build them in the background, and scan all rows for each name until they are complete.
  func buildIndexes(_ progress: () throws -> Void) throws {
    try store.buildIndexes { _ in try progress() }
  }

  /// Returns the row of content that is stored or pending, unless it is known to be damaged.
  func row<T: NamedObject>(of type: T.Type, named name: ContentName) throws -> RowID? {
    if let row = pending.row(T.kind, name) { return row }
    guard let row = try firstRow(type, name) else { return nil }
    return try damage.current(.init(kind: T.kind, row: row))
  }

  private func firstRow<T: NamedObject>(_ type: T.Type, _ name: ContentName) throws -> RowID? {
    try store.ids(T.first(named: name), includingPending: false).first?.rowID
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
