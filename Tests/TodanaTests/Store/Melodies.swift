import TestSupport
import Testing
import Todana

/// The base class of several versions of a program's melody.
class AnyMelody: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var mood: UInt8 = 0
  var next: AnyMelody?

  override class var fields: [Field] { [Field("seconds", \AnyMelody.seconds)] }
  /// The number of known moods: smaller values can be read.
  class var moodCount: UInt8 { 2 }

  struct UnknownMood: Error {}

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    mood = try buffer.readUInt8()
    next = try buffer.readReference()
    if mood >= Self.moodCount { throw UnknownMood() }
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeUInt8(mood)
    buffer.writeReference(next)
  }
}

/// The current program, which cannot read all melodies of an earlier one.
final class Melody: AnyMelody {
  override class var storedName: String { "Melody" }
}

/// A program that knows all moods.
final class FormerMelody: AnyMelody {
  override class var storedName: String { "Melody" }
  override class var moodCount: UInt8 { 3 }
}

final class NewerMelody: AnyMelody {
  override class var storedName: String { "Melody" }
  override class var version: UInt8 { 2 }
  override class var moodCount: UInt8 { 3 }
}

final class IndexedMelody: AnyMelody {
  override class var storedName: String { "Melody" }
  override class var indexes: [Index] {
    [Index(\IndexedMelody.seconds, name: "seconds"), Index(\IndexedMelody.title, unique: true, name: "title")]
  }
}

/// A program that knows all moods and has the same indexes.
final class FormerIndexedMelody: AnyMelody {
  override class var storedName: String { "Melody" }
  override class var moodCount: UInt8 { 3 }
  override class var indexes: [Index] {
    [
      Index(\FormerIndexedMelody.seconds, name: "seconds"),
      Index(\FormerIndexedMelody.title, unique: true, name: "title"),
    ]
  }
}

/// The reason why a record cannot be read.
enum Flaw: CaseIterable {
  case unknownContent, newerVersion, flippedBit, damagedPage

  var code: StoreError.Code {
    switch self {
    case .unknownContent: .unreadableContent
    case .newerVersion: .newerVersion
    case .flippedBit, .damagedPage: .damagedRecord
    }
  }
}

/// Saved melodies, some of which cannot be read.
struct Melodies {
  let backend = FaultyBackend()
  let classID: KeyspaceID
  /// The inserted values, by row.
  private(set) var all: [RowID: (title: String, seconds: UInt32, mood: UInt8)] = [:]
  let unreadable: Set<RowID>

  /// Creates and saves melodies.
  ///
  /// - Parameters:
  ///   - count: The number of melodies.
  ///   - unreadableCount: The number of melodies that cannot be read.
  ///   - flaw: The reason why they cannot be read.
  ///   - type: The class that writes the melodies.
  ///   - seed: The seed of the random choice of unreadable melodies.
  /// - Throws: The errors of the store.
  init(
    _ count: Int, unreadable unreadableCount: Int, _ flaw: Flaw, writtenBy type: AnyMelody.Type = FormerMelody.self,
    seed: UInt64 = 1
  ) throws {
    var random = SeededGenerator(seed: seed)
    let store = try Store(backend: backend, classes: [type])
    let chosen = Set((0..<count).shuffled(using: &random).prefix(unreadableCount))
    var unreadable: Set<RowID> = []
    for index in 0..<count {
      let track = type.init()
      track.title = "track \(index)"
      track.seconds = .random(in: 0..<300, using: &random)
      track.mood = chosen.contains(index) && flaw == .unknownContent ? 2 : .random(in: 0..<2, using: &random)
      try store.insert(track)
      let rowID = try #require(track.anyID?.rowID)
      all[rowID] = (track.title, track.seconds, track.mood)
      if chosen.contains(index) { unreadable.insert(rowID) }
    }
    try store.saveChanges()
    self.unreadable = unreadable
    classID = try #require(try store.catalog[type]?.id)
    switch flaw {
    case .unknownContent: break
    case .newerVersion:
      let newer = try Store(backend: backend, classes: [NewerMelody.self])
      for rowID in unreadable {
        let id = ObjectID<NewerMelody>(unchecked: AnyObjectID(classID: classID, rowID: rowID))
        try newer.update(#require(try newer.fetch(id))) { _ in }
      }
      try newer.saveChanges()
    case .flippedBit:
      for rowID in unreadable {
        var bytes = try #require(backend.bytes(rowID, of: classID))
        bytes[5] ^= 4
        backend.overwrite(rowID, of: classID, with: bytes)
      }
    case .damagedPage: for rowID in unreadable { backend.damage(rowID, of: classID) }
    }
  }

  typealias Known = (rowID: RowID, title: String, seconds: UInt32, mood: UInt8)

  /// The readable melodies, in the order of their rows.
  var readable: [Known] {
    all.filter { !unreadable.contains($0.key) }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value.title, $0.value.seconds, $0.value.mood) }
  }

  func id<T: AnyMelody>(_ rowID: RowID, as type: T.Type = T.self) -> ObjectID<T> {
    ObjectID(unchecked: AnyObjectID(classID: classID, rowID: rowID))
  }

  func ids(_ rowIDs: some Sequence<RowID>) -> [ObjectID<AnyMelody>] { rowIDs.map { id($0) } }

  /// Returns a call's result and the rows that it reports, in the order of the reports.
  func reported<Result>(_ body: (DamagePolicy) throws -> Result) throws -> (Result, [RowID]) {
    var rows: [RowID] = []
    let result = try body(
      .report { error in
        #expect(error.className == "Melody")
        rows.append(error.rowID ?? 0)
      })
    return (result, rows)
  }
}
