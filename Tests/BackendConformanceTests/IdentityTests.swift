import TestSupport
import Testing
import Todana

@Suite struct IdentityTests {
  @Test(arguments: TestedBackend.allCases)
  func `row ids start at 1, grow and are never repeated`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let other = try store.backend.keyspaceID(of: .rows, named: Array("Playlist".utf8))
    #expect(try store.backend.reserveRowIDs(1, in: store.songs) == 1..<2)
    #expect(try store.backend.reserveRowIDs(100, in: other).lowerBound == 1)
    var last: RowID = 1
    for count in [1, 7, 1000, 1] {
      let rows = try store.backend.reserveRowIDs(count, in: store.songs)
      #expect(rows.count == count)
      #expect(rows.lowerBound > last)
      last = rows.upperBound - 1
    }
    expectError(.invalidArgument) { _ = try store.backend.reserveRowIDs(0, in: store.songs) }
    expectError(.noSuchKeyspace) { _ = try store.backend.reserveRowIDs(1, in: KeyspaceID(rawValue: 999)) }
  }

  @Test func `row ids of committed rows are not reused after reopening`() throws {
    let store = try OpenBackend(.directory)
    var last: RowID = 0
    for _ in 0..<4 {
      let rows = try store.backend.reserveRowIDs(10, in: store.songs)
      #expect(rows.lowerBound > last)
      last = rows.upperBound - 1
      try store.backend.commit { $0.put([1], row: last, in: store.songs) }
      try store.backend.commit { $0.remove(row: last, in: store.songs) }
      try store.reopenAfterClosing()
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `a keyspace is identified by its kind and name`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    #expect(try store.backend.keyspaceID(of: .rows, named: Array("Song".utf8)) == store.songs)
    let sameName = try store.backend.keyspaceID(of: .keys, named: Array("Song".utf8))
    #expect(sameName != store.songs)
    let anyBytes = try store.backend.keyspaceID(of: .rows, named: [0, 255, 47, 0])
    #expect(try store.backend.keyspaceID(of: .rows, named: [0, 255, 47, 0]) == anyBytes)
    #expect(Set([store.songs, store.names, store.index, sameName, anyBytes]).count == 5)
    expectError(.limitExceeded) { _ = try store.backend.keyspaceID(of: .rows, named: []) }
    let longest = [UInt8](repeating: 65, count: store.backend.limits.nameByteCount)
    _ = try store.backend.keyspaceID(of: .rows, named: longest)
    expectError(.limitExceeded) { _ = try store.backend.keyspaceID(of: .rows, named: longest + [65]) }
  }

  @Test(arguments: TestedBackend.allCases)
  func `keyspaces are listed in the order of their ids, with their kind and name`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      for row in 1...5 as ClosedRange<RowID> { batch.put([1], row: row, in: store.songs) }
      batch.put([1], key: [1], in: store.names)
      batch.put([1], key: [1], in: store.index)
    }
    let keyspaces = try store.backend.keyspaces()
    #expect(keyspaces.map(\.id) == [store.songs, store.names, store.index].sorted())
    let songs = try #require(keyspaces.first { $0.id == store.songs })
    #expect(songs.kind == .rows && songs.name == Array("Song".utf8))
    #expect(try store.backend.count(of: store.songs) == 5)
    let index = try #require(keyspaces.first { $0.id == store.index })
    #expect(index.kind == .tree && index.name == Array("Song.seconds".utf8))
    #expect(try store.backend.count(of: store.index) == 1)
  }

  @Test func `the ids of the store and its keyspaces persist, and a new keyspace gets a new id`() throws {
    let store = try OpenBackend(.directory)
    let storeID = store.backend.storeID
    #expect(store.backend.openReport.created)
    try store.backend.commit { batch in
      batch.put([1], row: 1, in: store.songs)
      batch.put([1], key: [1], in: store.names)
      batch.put([1], key: [1], in: store.index)
    }
    for round in 0..<3 {
      try store.reopenAfterClosing()
      #expect(!store.backend.openReport.created)
      #expect(store.backend.storeID == storeID)
      #expect(try store.backend.keyspaceID(of: .keys, named: Array("names".utf8)) == store.names)
      #expect(try store.backend.keyspaceID(of: .tree, named: Array("Song.seconds".utf8)) == store.index)
      #expect(try store.backend.keyspaceID(of: .rows, named: Array("Song".utf8)) == store.songs)
      let known = Set(try store.backend.keyspaces().map(\.id))
      let new = try store.backend.keyspaceID(of: .rows, named: Array("Class \(round)".utf8))
      #expect(!known.contains(new))
      try store.backend.commit { $0.put([1], row: 1, in: new) }
    }
  }

  @Test func `every store has an identity of its own`() throws {
    let ids = try (0..<4).map { _ in try KyotoBackend(.inMemory).storeID }
    #expect(Set(ids).count == 4)
  }
}
