internal import Todana

/// The rows that are known to be damaged, and their replacements.
///
/// Nearly always empty. Not thread-safe.
struct KnownDamage {
  /// The class of a row.
  enum Kind: UInt8, Sendable {
    case content = 1
    case smallFile = 2
    case page = 3
  }

  struct Place: Hashable, Sendable {
    let kind: Kind
    let row: RowID
  }

  private var notes: [Place: StoredDamage] = [:]
  private let store: Store

  /// Loads the damage notes; unreadable notes are ignored.
  init(of store: Store) throws {
    self.store = store
    guard try store.catalog[StoredDamage.self] != nil else { return }
    var ids: [ObjectID<StoredDamage>] = []
    try store.forEach(StoredDamage.self, onDamage: .report { _ in }) { note, _ in if let id = note.id { ids.append(id) }
    }
    for id in ids {
      guard let note = try store.fetch(id), let kind = Kind(rawValue: note.kind) else { continue }
      notes[Place(kind: kind, row: note.row)] = note
    }
  }

  var isEmpty: Bool { notes.isEmpty }
  var places: some Sequence<Place> { notes.keys }

  func contains(_ place: Place) -> Bool { notes[place] != nil }

  /// Returns the row that has the content of a row: itself, or its replacement; nil if none is sound.
  func current(_ place: Place) -> RowID? {
    let (last, _) = chain(from: place)
    return contains(last) ? nil : last.row
  }

  /// Whether the content of a row was damaged, and has no sound replacement.
  func isLost(_ place: Place) -> Bool { !isEmpty && current(place) == nil }

  /// Follows the replacements of a row.
  ///
  /// Returns the last replacement, and the number of rows in the chain.
  private func chain(from place: Place) -> (last: Place, count: UInt8) {
    var (last, count) = (place, UInt8(1))
    while let note = notes[last], note.replacement != 0, count < .max {
      last = Place(kind: place.kind, row: note.replacement)
      count += 1
    }
    return (last, count)
  }

  // MARK: Changes, which the next save commits

  mutating func add(_ place: Place) throws {
    guard notes[place] == nil else { return }
    let note = StoredDamage()
    (note.kind, note.row) = (place.kind.rawValue, place.row)
    try store.insert(note)
    notes[place] = note
  }

  mutating func remove(_ place: Place) throws {
    guard let note = notes.removeValue(forKey: place) else { return }
    try store.delete(note)
  }

  /// Returns the copy number of the next replacement.
  func nextCopy(of place: Place) -> UInt8 { chain(from: place).count }

  mutating func replace(_ place: Place, by row: RowID) throws {
    guard let note = notes[chain(from: place).last] else { return }
    try store.update(note) { $0.replacement = row }
  }
}

/// A row that a verification has found to be damaged, and its replacement, if there is one.
///
/// Format, version 1: the kind, 8 bits; the row, 64 bits; the row that has the same content, 64 bits, 0 while there is
/// none.
final class StoredDamage: StoredObject {
  var kind: UInt8 = 0
  var row: RowID = 0
  var replacement: RowID = 0

  override class var storedName: String { "Damage" }

  override func readContent(from buffer: inout DataBuffer) throws {
    kind = try buffer.readUInt8()
    row = try buffer.readUInt64()
    replacement = try buffer.readUInt64()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeUInt8(kind)
    buffer.writeUInt64(row)
    buffer.writeUInt64(replacement)
  }
}
