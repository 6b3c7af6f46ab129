import Foundation
import TestSupport
import Testing
import Todana

private final class FoundTake: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var genre: String?
  var added = Date(timeIntervalSinceReferenceDate: 0)
  var isLive = false
  var key = UUID()

  override class var contentFields: [ContentField] {
    [
      ContentField("title", \FoundTake.title), ContentField("seconds", \FoundTake.seconds),
      ContentField("genre", \FoundTake.genre),
      ContentField("added", \FoundTake.added), ContentField("isLive", \FoundTake.isLive),
      ContentField("key", \FoundTake.key),
    ]
  }
  override class var indexes: [Index] {
    [
      Index(\FoundTake.seconds), Index(\FoundTake.genre, .descending(\FoundTake.title)),
      Index(.folded(\FoundTake.title)),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    genre = try buffer.readOptionalString()
    added = try buffer.readDate()
    isLive = try buffer.readBool()
    key = try buffer.readUUID()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeOptionalString(genre)
    buffer.writeDate(added)
    buffer.writeBool(isLive)
    buffer.writeUUID(key)
  }
}

@Suite struct FindRecordsTests {
  private let backend: KyotoBackend
  private let writer: Store
  /// A store without the class.
  private let store: Store

  init() throws {
    backend = try KyotoBackend(.inMemory)
    writer = try Store(backend: backend, classes: [FoundTake.self, Song.self])
    for number in 0..<300 {
      let take = FoundTake()
      take.title = number.isMultiple(of: 7) ? "Écoute \(number)" : "take \(number)"
      take.seconds = UInt32(number * 37 % 500)
      take.genre = number.isMultiple(of: 4) ? nil : ["Jazz", "Rock"][number % 2]
      take.added = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
      take.isLive = number.isMultiple(of: 3)
      take.key = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number / 256), UInt8(number % 256)))
      try writer.insert(take)
    }
    try writer.insert(Song("x"))
    try writer.saveChanges()
    store = try Store(backend: backend, classes: [])
  }

  private func found(
    _ condition: String?, _ sort: String? = nil, offset: Int = 0, limit: Int? = nil
  ) throws -> (rows: [RowID], indexes: [String]) {
    var rows: [RowID] = []
    let indexes = try store.findRecords(
      ofClassNamed: "FoundTake", where: condition, sortedBy: sort, offset: offset, limit: limit
    ) { record, values, _ in
      rows.append(record.rowID)
      #expect(values.count == 6)
    }
    return (rows, indexes)
  }

  @Test(arguments: [
    "seconds > 200", "seconds > 200 AND genre = 'Jazz'", "title BEGINSWITH 'Éc'", "title ==[c] 'ecoute 7'",
    "genre IS NULL AND isLive", "NOT isLive AND seconds BETWEEN 10 AND 20", "genre IN ('Jazz', 'Pop')",
    "key = '00000000-0000-0000-0000-00000000012B'",
    "title LIKE 'take _7'", "title MATCHES 'take [0-9]'", "seconds = 37 OR seconds = 74", "seconds != 37", "FALSE",
    "genre = 'Jazz' AND title > 'take 2'",
  ])
  func `records are found as the class finds its objects`(_ condition: String) throws {
    let expected = try writer.ids(FoundTake.where(condition)).map(\.rowID)
    #expect(try found(condition).rows == expected)
  }

  @Test func `dates are given as texts`() throws {
    #expect(try found("added >= '2001-05-01' AND added < '2001-05-03T12:00:00Z'").rows == [121, 122, 123])
    #expect(try found("added = '2001-01-02T01:00:00+01:00'").rows == [2])
    for text in ["2001-01-02T00:00:00Z", "2001-01-02 00:00:00", "2001-01-02T00:00:00", "2001-01-02 00:00:00.0"] {
      #expect(try found("added = '\(text)'").rows == [2], "\(text)")
    }
    #expect { try found("added = '2001-01-32'") } throws: {
      "\($0)".contains("is not a valid date, such as 2026-11-27")
    }
  }

  @Test func `results are sorted, limited, and found through indexes`() throws {
    let query = try FoundTake.where("genre = 'Rock'").sorted(byText: "isLive, seconds DESC")
    let expected = try writer.ids(query).map(\.rowID)
    #expect(try found("genre = 'Rock'", "isLive, seconds DESC").rows == expected)
    #expect(try found("genre = 'Rock'", "isLive, seconds DESC", offset: 5, limit: 9).rows == Array(expected[5..<14]))
    #expect(try found(nil).rows.count == 300)
    #expect(try found(nil, nil, offset: 290).rows == Array(291...300))
    #expect(try found("seconds = 37").indexes == ["seconds"])
    #expect(try found("title ==[c] 'ECOUTE 7'").indexes == ["folded(title)"])
    #expect(try found("isLive").indexes.isEmpty)
  }

  @Test func `the loop can be ended, and errors of the closure are thrown`() throws {
    var count = 0
    try store.findRecords(ofClassNamed: "FoundTake") { _, _, stop in
      count += 1
      stop = count == 3
    }
    #expect(count == 3)
    struct Refused: Error {}
    #expect(throws: Refused.self) { try store.findRecords(ofClassNamed: "FoundTake") { _, _, _ in throw Refused() } }
  }

  @Test func `wrong texts and classes are refused`() throws {
    let error = #expect(throws: QueryTextError.self) { try found("sekonds > 3") }
    #expect(error?.code == .unknownField)
    #expect(error?.description.contains("FoundTake has no field") == true)
    #expect(throws: QueryTextError.self) { try found("seconds > 'x'") }
    #expect(throws: QueryTextError.self) { try found("added > 'yesterday'") }
    #expect(throws: QueryTextError.self) { try found(nil, "nothing") }
    let missing = #expect(throws: StoreError.self) { try store.findRecords(ofClassNamed: "Nothing") { _, _, _ in } }
    #expect(missing?.code == .unknownClass)
    let fieldless = #expect(throws: StoreError.self) { try store.findRecords(ofClassNamed: "Song") { _, _, _ in } }
    #expect(fieldless?.code == .invalidQuery)
    #expect(throws: StoreError.self) { try found(nil, nil, limit: -1) }
  }

  @Test func `records of other versions are reported`() throws {
    final class Older: StoredObject {
      override class var storedName: String { "FoundTake" }
      override class var version: UInt8 { 0 }
      override class var indexes: [Index] { [] }
      override func writeContent(to buffer: inout DataBuffer) { buffer.writeString("old") }
    }
    try writer.close()
    let older = try Store(backend: backend, classes: [Older.self])
    try older.insert(Older())
    try older.saveChanges()
    #expect(throws: StoreError.self) { try found("seconds >= 0") }
    var reported: [StoreError] = []
    var count = 0
    try store.findRecords(ofClassNamed: "FoundTake", where: "seconds >= 0", onDamage: .report { reported.append($0) }) {
      _, _, _ in count += 1
    }
    #expect(count == 300)
    #expect(reported.map(\.code) == [.unreadableContent])
  }
}
