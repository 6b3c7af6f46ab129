import Foundation
import TestSupport
import Testing
import Todana

/// Key epochs: a new key is used long before random nonces could repeat under the old one.
@Suite struct KeyEpochTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open(
    _ name: String = "Store", sealLimit: Int = 1 << 31, access: KyotoBackend.Access = .write
  ) throws -> Store {
    var configuration = StoreConfiguration(encryption: .key([UInt8](repeating: 9, count: 16)))
    configuration.tuning.sealLimit = sealLimit
    configuration.access = access
    return try Store(.directory(directory.path(name)), classes: [Song.self], configuration: configuration)
  }

  private func add(_ count: Int, to store: Store) throws {
    for _ in 0..<count { try store.insert(Song("Blue in Green")) }
    try store.saveChanges()
  }

  /// Returns the epoch of each record: the number after the format byte.
  private func epochs(in store: Store) throws -> [Int] {
    let songs = try #require(try store.backend.keyspaces().first { $0.kind == .rows })
    let chunk = RecordChunk()
    var epochs: [Int] = []
    let ids = try store.fetch(Song.self).compactMap { $0.id?.rowID }
    for id in ids {
      let rows = [id]
      try store.backend.read(rows: rows.span, of: songs.id, into: chunk)
      let value = chunk.slices[0].value
      epochs.append(Int(unsafe chunk.arena.bytes[value.lowerBound + 1]))
    }
    return epochs
  }

  @Test func `a key seals a limited number of records, which stay readable`() throws {
    var store = try open(sealLimit: 500)
    let sizeBefore = try store.keys.export().count
    for _ in 0..<10 { try add(100, to: store) }
    var found = try epochs(in: store)
    #expect(found == found.sorted())
    let epochCount = try #require(found.last)
    #expect((2...4).contains(epochCount))
    #expect(try store.keys.export().count > sizeBefore)
    try store.close()
    store = try open(sealLimit: 500)
    #expect(try epochs(in: store) == found)
    // The number of sealed records survives closing.
    for _ in 0..<5 {
      try add(100, to: store)
      try store.close()
      store = try open(sealLimit: 500)
    }
    found = try epochs(in: store)
    #expect(try #require(found.last) > epochCount)
    #expect(try store.verify().isSound)
    try store.close()
  }

  @Test func `a new key is used after a session was killed`() throws {
    let store = try open(sealLimit: 1 << 24)
    try add(10, to: store)
    try FileManager.default.copyItem(atPath: directory.path("Store"), toPath: directory.path("Killed"))
    try add(1, to: store)
    #expect(try epochs(in: store).last == 1)
    try store.close()
    try FileManager.default.removeItem(atPath: directory.path("Killed/lock"))
    var killed = try open("Killed", sealLimit: 1 << 24)
    // The first commit notices that the previous session was killed. Records that were sealed before it still use the
    // old epoch.
    for _ in 0..<2 { try add(1, to: killed) }
    #expect(try epochs(in: killed) == [Int](repeating: 1, count: 11) + [2])
    try killed.close()
    // A store that was closed properly stays in its epoch.
    killed = try open("Killed", sealLimit: 1 << 24)
    try add(1, to: killed)
    #expect(try epochs(in: killed).last == 2)
    try killed.close()
  }

  @Test(arguments: [false, true])
  func `a copy that is changed uses another key than its original`(ofSeries: Bool) throws {
    let store = try open()
    try add(10, to: store)
    if ofSeries {
      let series = BackupSeries(at: directory.path("Series"))
      _ = try store.backUp(into: series)
      try series.restore(to: directory.path("Copy"))
    } else {
      try store.backUp(to: directory.path("Copy"))
    }
    let reader = try open("Copy", access: .read)
    #expect(try reader.fetch(Song.self).count == 10)
    try reader.close()
    for round in 0..<2 {
      let copy = try open("Copy")
      try add(1, to: copy)
      #expect(try epochs(in: copy).prefix(10) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
      #expect(try epochs(in: copy).last == 2, "once, not at opening \(round)")
      try copy.close()
    }
    try add(1, to: store)
    #expect(try epochs(in: store).last == 1)
    try store.close()
  }

  @Test func `an exported key file replaces a lost one and keeps newer keys`() throws {
    var store = try open(sealLimit: 300)
    try add(100, to: store)
    let exported = try store.keys.export()
    for _ in 0..<5 { try add(100, to: store) }
    #expect(try #require(try epochs(in: store).last) > 1)
    let change = try store.keys.add(.passphrase("added since"))
    let path = directory.path("Store")
    #expect(throws: StoreError.self) { try importKeys(exported) }  // the store is in use
    try store.close()

    // Import over an intact file that has newer keys and another secret.
    try importKeys(exported)
    store = try open()
    #expect(try store.fetch(Song.self).count == 600)
    #expect(try store.keys.slots().allSatisfy { $0.id != change })
    let newer = try store.keys.export()
    try store.close()

    // One of the two copies is enough. If both are lost, the keys that only they had are lost, too.
    try Data([1, 2, 3]).write(to: URL(filePath: path + "/keys"))
    try importKeys(exported)
    try open().close()
    for name in ["keys", "keys-copy"] { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
    #expect(throws: StoreError.self) { try open() }
    try importKeys(newer)
    store = try open()
    #expect(try store.verify().isSound)
    try store.close()

    for (file, key, code) in [
      (newer, [UInt8](repeating: 8, count: 16), StoreError.Code.wrongKey),
      ([], [UInt8](repeating: 9, count: 16), .damagedKeys),
      (Array(newer.dropLast(5)), [UInt8](repeating: 9, count: 16), .damagedKeys),
    ] {
      let error = #expect(throws: StoreError.self) { try Store.importKeys(file, at: path, encryption: .key(key)) }
      #expect(error?.code == code)
    }
    let other = try open("Other")
    let others = try other.keys.export()
    try other.close()
    let error = #expect(throws: StoreError.self) { try importKeys(others) }
    #expect(error?.backendError?.code == .otherStore)
    let plain = try Store(.directory(directory.path("Plain")), classes: [Song.self])
    try plain.insert(Song())
    try plain.saveChanges()
    try plain.close()
    let refused = #expect(throws: StoreError.self) {
      try Store.importKeys(exported, at: directory.path("Plain"), encryption: .key([UInt8](repeating: 9, count: 16)))
    }
    #expect(refused?.code == .notEncrypted)
    #expect(try open().fetch(Song.self).count == 600)
  }

  private func importKeys(_ keys: [UInt8]) throws {
    try Store.importKeys(keys, at: directory.path("Store"), encryption: .key([UInt8](repeating: 9, count: 16)))
  }
}
