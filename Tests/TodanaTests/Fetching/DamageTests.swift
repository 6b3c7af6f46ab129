import TestSupport
import Testing
import Todana

/// A class that reads less than was written.
private final class Sloppy: StoredObject {
  override class var storedName: String { "Song" }
  override class var version: UInt8 { 2 }
  override func readContent(from buffer: inout DataBuffer) throws { _ = try buffer.readString() }
}

private final class Greedy: StoredObject {
  override class var storedName: String { "Song" }
  override class var version: UInt8 { 2 }
  override func readContent(from buffer: inout DataBuffer) throws {
    for _ in 0..<100 { _ = try buffer.readUInt64() }
  }
}

@Suite(.plainAndEncrypted) struct DamageTests {
  let backend = FaultyBackend()
  let classID: KeyspaceID

  init() throws {
    let store = try Store(backend: backend, classes: [Song.self])
    for index in 1...9 { try store.insert(Song("\(index)")) }
    try store.saveChanges()
    classID = try #require(try store.catalog[Song.self]?.id)
  }

  enum Damage: CaseIterable { case empty, short, unknownFormat, flippedBit, truncated, extended, moved, device }

  @Test(arguments: Damage.allCases)
  func `a damaged record is an error with class and row, and can be skipped`(damage: Damage) throws {
    try inflict(damage)
    let store = try Store(backend: backend, classes: [Song.self])
    let error = #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(error?.code == .damagedRecord && error?.className == "Song" && error?.rowID == 5)

    var reported: [StoreError] = []
    let healthy = try store.fetch(Song.self, onDamage: .report { reported.append($0) })
    #expect(healthy.map(\.title) == ["1", "2", "3", "4", "6", "7", "8", "9"])
    #expect(reported.map(\.rowID) == [5])

    var visited = 0
    try store.forEach(Song.self, onDamage: .report { _ in }) { _, _ in visited += 1 }
    #expect(visited == 8)
    let id = ObjectID<Song>(unchecked: AnyObjectID(classID: classID, rowID: 5))
    #expect(throws: StoreError.self) { try store.fetch(id) }
    #expect(throws: StoreError.self) { try store.fetch([id]) }
    let fault = try store.fault(id)
    #expect(throws: StoreError.self) { try fault.loadContent() }
    #expect(fault.isFault && fault.title == "")
    var raw: [RowID] = []
    try store.rawRecords(ofClassNamed: "Song", onDamage: .report { _ in }) { record, _ in raw.append(record.rowID) }
    #expect(raw.sorted() == [1, 2, 3, 4, 6, 7, 8, 9])
  }

  @Test func `a class that reads less or more than was written is an error with class and row`() throws {
    let sloppy = try Store(backend: backend, classes: [Sloppy.self])
    let trailing = #expect(throws: StoreError.self) { try sloppy.fetch(Sloppy.self) }
    #expect(trailing?.code == .unreadableContent)
    #expect((trailing?.underlying as? DataBufferError)?.code == .trailingBytes)
    let greedy = try Store(backend: backend, classes: [Greedy.self])
    let truncated = #expect(throws: StoreError.self) { try greedy.fetch(Greedy.self) }
    #expect((truncated?.underlying as? DataBufferError)?.code == .truncated)
    #expect(truncated?.rowID != nil)
  }

  private func inflict(_ damage: Damage) throws {
    var bytes = try #require(backend.bytes(5, of: classID))
    switch damage {
    case .empty: bytes = []
    case .short: bytes = [1, 2, 3]
    case .unknownFormat: bytes[0] = 99
    case .flippedBit: bytes[4] ^= 1
    case .truncated: bytes.removeLast()
    case .extended: bytes.append(0)
    case .moved: bytes = try #require(backend.bytes(6, of: classID))
    case .device: backend.damage(5, of: classID)
    }
    if damage != .device { backend.overwrite(5, of: classID, with: bytes) }
  }
}
