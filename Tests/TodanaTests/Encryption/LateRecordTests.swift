import TestSupport
import Testing

@testable import Todana

/// Commits of records that were written before their store was encrypted.
///
/// Records with few bytes of content are shorter than the additions of sealing.
@Suite struct LateRecordTests {
  private static let secret = StoreSecret.key([UInt8](repeating: 0x5A, count: 32))
  private static let byteCounts = Array(0...24) + [100, 5000]

  private static func content(_ byteCount: Int) -> [UInt8] { (0..<byteCount).map { UInt8($0 & 0xFF) } }

  /// Appends a plain record of each length, under row ids or names.
  private func append(
    to batch: inout WriteBatch, _ envelope: RecordEnvelope, in keyspace: KeyspaceID, isNamed: Bool
  ) throws {
    for (index, byteCount) in Self.byteCounts.enumerated() {
      var writer = DataBuffer(arena: batch.arena, encoder: UncheckedReferences())
      envelope.begin(version: 3, in: &writer)
      for byte in Self.content(byteCount) { writer.writeUInt8(byte) }
      let rowID = RowID(index + 1)
      let name = Self.name(of: rowID)
      let record = try isNamed ? envelope.finish(name, in: &writer).range : envelope.finish(rowID, in: &writer).range
      let key: WriteBatch.Key = isNamed ? .bytes(batch.arena.append(name)) : .row(rowID)
      batch.append(.init(keyspace: keyspace, kind: .put, expectation: .absent, key: key, value: record))
    }
  }

  private static func name(of rowID: RowID) -> [UInt8] { Array("name \(100 + rowID)".utf8) }

  private func expectRecords(in store: Store, _ keyspace: KeyspaceID, isNamed: Bool) throws {
    let chunk = RecordChunk(byteCapacity: 8192, recordLimit: 1)
    let envelope = store.envelope(of: keyspace)
    for (index, byteCount) in Self.byteCounts.enumerated() {
      let rowID = RowID(index + 1)
      let name = Self.name(of: rowID)
      let snapshot = try store.sealing.snapshot()
      if isNamed {
        try snapshot.read(key: name, of: keyspace, into: chunk)
      } else {
        try snapshot.read(rows: [rowID].span, of: keyspace, into: chunk)
      }
      let slice = try #require(chunk.slices.first)
      let record = unsafe chunk.value(of: slice)
      let opened = unsafe try isNamed ? envelope.open(record, name) : envelope.open(record, rowID)
      #expect(unsafe Array(opened.content) == Self.content(byteCount), "\(byteCount) bytes")
      #expect(opened.version == 3)
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `records that were written before a store was encrypted are sealed`(isNamed: Bool, isLoaded: Bool) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    var store = try Store(.directory(directory.path("store")), classes: [Song.self])
    let kind = isNamed ? KeyspaceKind.keys : .rows
    var batch = WriteBatch()
    var loader: (any KeyspaceLoader)?
    let keyspace: KeyspaceID
    if isLoaded {
      let begun = try store.sealing.loadKeyspace(of: kind, named: Array("late".utf8), expecting: 27)
      (loader, keyspace) = (begun, begun.keyspace)
    } else {
      keyspace = try store.sealing.keyspaceID(of: kind, named: Array("late".utf8))
    }
    try append(to: &batch, store.envelope(of: keyspace), in: keyspace, isNamed: isNamed)
    #expect(try store.encrypt(with: Self.secret))
    if let loader {
      try loader.append(batch)
      try loader.finish()
      var adoption = WriteBatch()
      adoption.appendAdoption(of: keyspace)
      // The caller loads the keyspace again, as its earlier records may be plain.
      let error = #expect(throws: BackendError.self) { try store.sealing.commit(adoption, durability: .full) }
      #expect(error?.code == .interrupted)
    } else {
      _ = try store.sealing.commit(batch, durability: .full)
      try expectRecords(in: store, keyspace, isNamed: isNamed)
      try store.close()
      store = try Store(
        .directory(directory.path("store")), classes: [Song.self],
        configuration: .init(encryption: .callback { Self.secret }))
      try expectRecords(in: store, keyspace, isNamed: isNamed)
      #expect(try store.verify().isSound)
    }
    try store.close()
  }
}
