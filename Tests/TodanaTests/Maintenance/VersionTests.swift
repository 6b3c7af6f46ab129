import TestSupport
import Testing
import Todana

/// The first of three versions of one class, all stored as `Track`.
private final class TrackV1: StoredObject {
  var title = ""
  override class var storedName: String { "Track" }
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

private final class TrackV2: StoredObject {
  var title = ""
  var seconds: UInt32 = 100
  override class var version: UInt8 { 2 }
  override class var storedName: String { "Track" }
  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = buffer.version >= 2 ? try buffer.readUInt32() : 100
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
}

@Suite(.plainAndEncrypted) struct VersionTests {
  let backend = FaultyBackend()
  let classID: KeyspaceID

  init() throws {
    let store = try Store(backend: backend, classes: [TrackV1.self])
    for index in 0..<25 {
      let track = TrackV1()
      track.title = "\(index)"
      try store.insert(track)
    }
    try store.saveChanges()
    classID = try #require(try store.catalog[TrackV1.self]?.id)
  }

  @Test func `a newer class reads records of an older version`() throws {
    let store = try Store(backend: backend, classes: [TrackV2.self])
    let tracks = try store.fetch(TrackV2.self)
    #expect(tracks.map(\.title) == (0..<25).map(String.init))
    #expect(tracks.filter { $0.seconds == 100 }.count == 25)
  }

  @Test func `an older class refuses records of a newer version, naming class and row`() throws {
    let store = try Store(backend: backend, classes: [TrackV2.self])
    let id = try store.insert(TrackV2())
    try store.saveChanges()
    let old = try Store(backend: backend, classes: [TrackV1.self])
    let error = #expect(throws: StoreError.self) { try old.fetch(TrackV1.self) }
    #expect(error?.code == .newerVersion && error?.className == "Track" && error?.rowID == id.rowID)
    let upgrade = #expect(throws: StoreError.self) { try old.upgrade(TrackV1.self) }
    #expect(upgrade?.code == .newerVersion)
  }

  @Test func `an upgrade rewrites old records in batches, and resumes after an interruption`() throws {
    struct Interruption: Error {}
    let store = try Store(backend: backend, classes: [TrackV2.self])
    let pending = try store.fetch(TrackV2.self)[3]
    try store.update(pending) { $0.seconds = 7 }
    var seen: [Int] = []
    #expect(throws: Interruption.self) {
      try store.upgrade(TrackV2.self, batchSize: 10) { report in
        seen.append(report.upgradedCount)
        if report.upgradedCount == 20 { throw Interruption() }
      }
    }
    #expect(seen == [10, 20])
    #expect(try versions() == [1: 5, 2: 20])
    let report = try store.upgrade(TrackV2.self, batchSize: 10)
    #expect(report.upgradedCount == 5 && report.examinedCount == 25 && report.totalCount == 25)
    #expect(try versions() == [2: 25])
    #expect(try store.upgrade(TrackV2.self).upgradedCount == 0)
    #expect(store.hasUnsavedChanges)
    try store.saveChanges()
    let read = try Store(backend: backend, classes: [TrackV2.self]).fetch(TrackV2.self)
    #expect(read.map(\.seconds) == (0..<25).map { $0 == 3 ? 7 : 100 })
  }

  @Test func `all classes are upgraded with one call, which resumes after an interruption`() throws {
    struct Interruption: Error {}
    let writer = try Store(backend: backend, classes: [Song.self])
    for index in 0..<5 { try writer.insert(Song("\(index)")) }
    try writer.saveChanges()
    let store = try Store(backend: backend, classes: [Song.self, TrackV2.self, Node.self])
    var seen: [String] = []
    #expect(throws: Interruption.self) {
      try store.upgradeAll(batchSize: 10) { name, report in
        seen.append("\(name) \(report.upgradedCount)")
        if report.upgradedCount == 20 { throw Interruption() }
      }
    }
    #expect(seen == ["Song 0", "Track 10", "Track 20"])
    let reports = try store.upgradeAll()
    #expect(reports.keys.sorted() == ["Node", "Song", "Track"])
    #expect(reports["Track"]?.upgradedCount == 5)
    #expect(reports["Song"]?.examinedCount == 5 && reports["Song"]?.upgradedCount == 0)
    #expect(reports["Node"]?.totalCount == 0)
    #expect(try versions() == [2: 25])
  }

  @Test func `an upgrade reports damaged records and does the rest`() throws {
    backend.overwrite(4, of: classID, with: [1, 1, 0])
    let store = try Store(backend: backend, classes: [TrackV2.self])
    var damaged: [RowID?] = []
    let report = try store.upgrade(TrackV2.self, onDamage: .report { damaged.append($0.rowID) })
    #expect(damaged == [4])
    #expect(report.damagedCount == 1 && report.upgradedCount == 24)
  }

  private func versions() throws -> [UInt8: Int] {
    var counts: [UInt8: Int] = [:]
    let reader = try Store(backend: backend, classes: [])
    try reader.rawRecords(ofClassNamed: "Track") { record, _ in counts[record.version, default: 0] += 1 }
    return counts
  }
}
