internal import Todana

// Content by its name: where it is, and how it gets there.
extension ArchiveStore {
  /// Before names are looked up: builds the indexes of them that an imported or salvaged archive lacks.
  ///
  /// The store would do so by itself meanwhile, and go through all rows for each name until then.
  func buildIndexes(_ progress: () throws -> Void) throws {
    try store.buildIndexes { _ in try progress() }
  }

  /// The row of content that is stored, or is by the next save, and is whole as far as is known.
  func row<T: NamedObject>(of type: T.Type, named name: ContentName) throws -> RowID? {
    if let row = pending.row(T.kind, name) { return row }
    guard let row = try firstRow(type, name) else { return nil }
    return try damage.current(.init(kind: T.kind, row: row))
  }

  private func firstRow<T: NamedObject>(_ type: T.Type, _ name: ContentName) throws -> RowID? {
    try store.ids(T.first(named: name), includingPending: false).first?.rowID
  }

  /// Inserts what ``row(of:named:)`` does not give: for the first time, or in the place of what is damaged.
  func insert<T: NamedObject>(_ stored: T) throws -> RowID {
    let place = try damagedPlace(T.self, stored.name)
    let row: RowID
    if let place, let small = stored as? StoredSmallFile, try lead(place, to: small) {
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

  /// Leads a small file of which only the group is damaged to its new one, in all snapshots.
  ///
  /// - Returns: False where it is damaged itself.
  private func lead(_ place: KnownDamage.Place, to stored: StoredSmallFile) throws -> Bool {
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
