import TestSupport
import Testing
import Todana

@Suite struct RecordEnvelopeTests {
  static let storeID = StoreID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
  let envelope = RecordEnvelope(storeID: storeID, keyspace: KeyspaceID(rawValue: 3))

  @Test func `records are written as the format document says`() throws {
    let row = try record(row: 5)
    #expect(
      row.bytes == [
        0x10, 0x02, 0x09, 0x54, 0x65, 0x73, 0x74, 0x20, 0x53, 0x6F, 0x6E, 0x67, 0x47, 0x01, 0x00, 0x00,
        0x6F, 0xF1, 0x3A, 0x28, 0xAF, 0xB3, 0x6E, 0x2F,
      ])
    #expect(row.token == 0x2F6E_B3AF_283A_F16F)

    let arena = ByteArena()
    var buffer = DataBuffer(arena: arena, encoder: nil)
    envelope.begin(version: 2, in: &buffer)
    writeContent(to: &buffer)
    let named = try envelope.finish(Array("favourites".utf8), in: &buffer)
    #expect(named.token == 0x694A_EAFD_8D48_C00F)

    envelope.begin(version: 1, in: &buffer)
    let empty = try envelope.finish(5, in: &buffer)
    let emptyBytes = unsafe Array(arena.bytes[empty.range])
    #expect(emptyBytes == [0x10, 1, 0xFD, 0xA6, 0xB8, 0x0B, 0xC2, 0x08, 0xDA, 0x6A])
  }

  @Test func `a record opens in its own place`() throws {
    let record = try record(row: 5)
    let opened = try open(record.bytes, row: 5)
    #expect(opened.version == 2)
    #expect(opened.content == Array(record.bytes[2..<16]))
    #expect(opened.token == record.token)
  }

  @Test func `every flipped bit is found`() throws {
    let bytes = try record(row: 5).bytes
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      let error = #expect(throws: RecordEnvelopeError.self) { try open(damaged, row: 5) }
      // The lowest bit of the format byte says whether the record has a kept token.
      #expect((1..<8).contains(bit) ? error == .unsupportedFormat(damaged[0]) : error == .checkMismatch)
    }
  }

  @Test func `every truncated and every extended record is found`() throws {
    let bytes = try record(row: 5).bytes
    #expect(throws: RecordEnvelopeError.empty) { try open([], row: 5) }
    for byteCount in 1..<10 {
      #expect(throws: RecordEnvelopeError.tooShort(byteCount: byteCount)) {
        try open(Array(bytes.prefix(byteCount)), row: 5)
      }
    }
    for byteCount in 10..<bytes.count {
      #expect(throws: RecordEnvelopeError.checkMismatch) { try open(Array(bytes.prefix(byteCount)), row: 5) }
    }
    #expect(throws: RecordEnvelopeError.checkMismatch) { try open(bytes + [0], row: 5) }
    #expect(throws: RecordEnvelopeError.unsupportedFormat(0)) { try open([UInt8](repeating: 0, count: 64), row: 5) }
  }

  @Test func `a record does not open in another record's place`() throws {
    let bytes = try record(row: 5).bytes
    #expect(throws: RecordEnvelopeError.checkMismatch) { try open(bytes, row: 6) }
    #expect(throws: RecordEnvelopeError.checkMismatch) { try open(bytes, row: 5 << 32) }
    for other in [
      RecordEnvelope(storeID: Self.storeID, keyspace: KeyspaceID(rawValue: 4)),
      RecordEnvelope(storeID: StoreID(high: 0, low: 0), keyspace: KeyspaceID(rawValue: 3)),
    ] {
      #expect(throws: RecordEnvelopeError.checkMismatch) { try open(bytes, row: 5, with: other) }
    }
    #expect(throws: RecordEnvelopeError.checkMismatch) {
      try unsafe bytes.withUnsafeBytes { record in _ = unsafe try envelope.open(record, Array("favourites".utf8)) }
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `records of every length are stored one after another in the arena`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let arena = ByteArena()
    var buffer = DataBuffer(arena: arena, encoder: nil)
    var expected: [(written: RecordEnvelope.Written, content: [UInt8])] = []
    for row in 0..<300 as Range<RowID> {
      let content = (0..<Int.random(in: 0..<600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      envelope.begin(version: UInt8(truncatingIfNeeded: row), in: &buffer)
      buffer.writeRawBytes(content)
      expected.append((try envelope.finish(row, in: &buffer), content))
    }
    #expect(expected.last?.written.range.upperBound == arena.count)
    for (index, (written, content)) in expected.enumerated() {
      let opened = try open(unsafe Array(arena.bytes[written.range]), row: RowID(index))
      #expect(opened.version == UInt8(truncatingIfNeeded: index))
      #expect(opened.content == content)
      #expect(opened.token == written.token)
    }
  }

  @Test func `a record with an error leaves the arena as it was`() throws {
    let arena = ByteArena()
    var buffer = DataBuffer(arena: arena, encoder: nil)
    envelope.begin(version: 1, in: &buffer)
    writeContent(to: &buffer)
    let first = try envelope.finish(1, in: &buffer)
    envelope.begin(version: 1, in: &buffer)
    buffer.writeString("lost")
    buffer.writeReference(StoredObject())
    let error = #expect(throws: DataBufferError.self) { try envelope.finish(2, in: &buffer) }
    #expect(error?.code == .referencesUnavailable)
    #expect(arena.count == first.range.upperBound)
    // Outside a record, writing and finishing are errors.
    buffer.writeUInt8(1)
    #expect(throws: DataBufferError.self) { try envelope.finish(2, in: &buffer) }
    #expect(arena.count == first.range.upperBound)
    // The next record contains nothing of the failed one.
    envelope.begin(version: 1, in: &buffer)
    writeContent(to: &buffer)
    let next = try envelope.finish(1, in: &buffer)
    #expect(next.token == first.token)
  }

  private func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString("Test Song")
    buffer.writeUInt32(327)
  }

  private func record(row: RowID) throws -> (bytes: [UInt8], token: UInt64) {
    let arena = ByteArena()
    var buffer = DataBuffer(arena: arena, encoder: nil)
    envelope.begin(version: 2, in: &buffer)
    writeContent(to: &buffer)
    let written = try envelope.finish(row, in: &buffer)
    return (unsafe Array(arena.bytes[written.range]), written.token)
  }

  private func open(
    _ bytes: [UInt8], row: RowID, with other: RecordEnvelope? = nil
  ) throws -> (version: UInt8, content: [UInt8], token: UInt64) {
    try unsafe bytes.withUnsafeBytes { record in
      let opened = unsafe try (other ?? envelope).open(record, row)
      return (opened.version, unsafe Array(opened.content), opened.token)
    }
  }
}
