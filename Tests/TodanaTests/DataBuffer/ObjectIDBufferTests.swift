import TestSupport
import Testing
import Todana

/// An object that keeps identities in place of references.
private final class Ticket: StoredObject {
  var song: ObjectID<Song>?
  var any = AnyObjectID(classID: KeyspaceID(rawValue: 0), rowID: 1)
  var queue: [ObjectID<Song>] = []

  override class var indexes: [Index] { [Index(\Ticket.song), Index(\Ticket.any, unique: true)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    song = try buffer.readOptionalObjectID()
    any = try buffer.readObjectID()
    queue = try buffer.readArray()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeOptionalObjectID(song)
    buffer.writeObjectID(any)
    buffer.writeArray(queue)
  }
}

@Suite(.plainAndEncrypted) struct ObjectIDBufferTests {
  @Test(arguments: [(0, 1), (1, 17), (UInt32.max, UInt64.max)] as [(UInt32, UInt64)])
  func `an identity is read as it was written`(classNumber: UInt32, rowID: UInt64) throws {
    let id = AnyObjectID(classID: KeyspaceID(rawValue: classNumber), rowID: rowID)
    var buffer = DataBuffer()
    buffer.writeObjectID(id)
    buffer.writeObjectID(ObjectID<Song>(unchecked: id))
    buffer.writeOptionalObjectID(ObjectID<Song>?.none)
    var reading = DataBuffer(reading: buffer.bytes)
    let (untyped, typed) = (try reading.readObjectID(), try reading.readObjectID(of: Song.self))
    let none = try reading.readOptionalObjectID(of: Song.self)
    #expect(untyped == id && typed.untyped == id && none == nil)
    let isAtEnd = reading.isAtEnd
    #expect(isAtEnd)
  }

  @Test(arguments: [[0], [0, 1], [1, 0], [1], [0x82, 0x80, 0x80, 0x80, 0x10, 1]] as [[UInt8]])
  func `invalid bytes are refused, and the position stays`(bytes: [UInt8]) throws {
    var buffer = DataBuffer(reading: bytes)
    #expect(throws: DataBufferError.self) { try buffer.readObjectID() }
    let next = try buffer.readUInt8()
    #expect(next == bytes[0])
  }

  @Test func `identities are saved, indexed and found, also those of deleted objects`() throws {
    let store = try Store(backend: FaultyBackend(), classes: [Song.self, Ticket.self])
    var ids: [ObjectID<Song>] = []
    for number in 0..<20 {
      let song = Song("\(number)")
      ids.append(try store.insert(song))
      let ticket = Ticket()
      ticket.song = number.isMultiple(of: 5) ? nil : ids[number]
      ticket.any = ids[number].untyped
      ticket.queue = ids
      try store.insert(ticket)
    }
    try store.saveChanges()
    try store.delete(ids)
    try store.saveChanges()
    let other = try Store(backend: store.backend, classes: [Song.self, Ticket.self])
    let found = try #require(try other.first(Ticket.where { $0.song == ids[7] }))
    #expect(found.queue == Array(ids[...7]))
    #expect(found.any == ids[7].untyped)
    #expect(try other.count(Ticket.where { $0.song == nil }) == 4)
    #expect(try other.count(Ticket.where { $0.song.isIn([ids[1], ids[2], nil]) }) == 6)
    #expect(try other.count(Ticket.where { $0.any > ids[9].untyped }) == 10)
    #expect("\(try other.explain(Ticket.where { $0.song == ids[7] }))".contains("index"))
  }
}
