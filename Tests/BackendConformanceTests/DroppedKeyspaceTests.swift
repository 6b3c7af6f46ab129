// Dropped keyspaces: their records, names and numbers.
import TestSupport
import Testing
import Todana

@Suite struct DroppedKeyspaceTests {
  @Test(arguments: TestedBackend.allCases)
  func `nothing is left of a keyspace that was dropped`(_ kind: TestedBackend) throws {
    for dropped in 0..<3 {
      let store = try OpenBackend(kind)
      try fill(store)
      let keyspaces = [store.songs, store.names, store.index]
      let id = keyspaces[dropped]
      let info = try #require(try store.backend.keyspaces().first { $0.id == id })
      let number = try store.backend.commit { batch in
        batch.appendDrop(of: id)
        for (position, keyspace) in keyspaces.enumerated() where position != dropped {
          if position == 0 {
            batch.put([1], row: 50, in: keyspace)
          } else {
            batch.put([1], key: [50], in: keyspace)
          }
        }
      }
      #expect(try store.backend.snapshot().commitNumber == number)
      #expect(try store.backend.keyspaces().map(\.id) == keyspaces.filter { $0 != id })
      for (position, keyspace) in keyspaces.enumerated() where position != dropped {
        #expect(try store.backend.count(of: keyspace) == 41)
      }
      expectError(.noSuchKeyspace) { _ = try store.backend.count(of: id) }
      expectError(.noSuchKeyspace) { _ = try store.backend.newest.value(key: [1], in: id) }
      expectError(.noSuchKeyspace) { try store.backend.commit { $0.erase(key: [1], in: id) } }
      expectError(.noSuchKeyspace) { try store.backend.commit { $0.appendDrop(of: id) } }
      expectError(.noSuchKeyspace) { _ = try store.backend.snapshot().count(of: id) }
      if kind.lasts {
        try store.reopenAfterClosing()
        #expect(try store.backend.keyspaces().map(\.id) == keyspaces.filter { $0 != id })
      }
      // The name can be used again; the number is not.
      let again = try store.backend.keyspaceID(of: info.kind, named: info.name)
      #expect(!keyspaces.contains(again))
      #expect(try store.backend.count(of: again) == 0)
      try store.backend.commit { batch in
        if info.kind == .rows {
          batch.put([7], row: 1, in: again)
        } else {
          batch.put([7], key: [1], in: again)
        }
      }
      #expect(try store.backend.count(of: again) == 1)
      guard kind.lasts else { continue }
      try store.reopenAfterClosing()
      #expect(try store.backend.keyspaceID(of: info.kind, named: info.name) == again)
      #expect(try store.backend.count(of: again) == 1)
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `snapshots can still read a keyspace that was dropped`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    let before = try store.backend.snapshot()
    let scan = try before.scan(store.songs)
    try store.backend.commit { batch in
      for keyspace in [store.songs, store.names, store.index] { batch.appendDrop(of: keyspace) }
    }
    #expect(try store.backend.keyspaces().isEmpty)
    try store.backend.operations?.checkpoint()
    #expect(try scan.remainingRows() == (try before.scan(store.songs).remainingRows()))
    for keyspace in [store.songs, store.names, store.index] { #expect(try before.count(of: keyspace) == 40) }
    #expect(try before.state.value(7, in: store.songs) == patternedBytes(7))
    #expect(try before.state.value(key: [7], in: store.names) == patternedBytes(7))
    #expect(try before.state.value(key: [7], in: store.index) == patternedBytes(7))
    #expect(
      try before.scan(tree: store.index, from: [3], to: [6], descending: false).remainingKeys().map(\.key)
        == [[3], [4], [5]])
    #expect(try before.estimatedCount(tree: store.index, from: nil, to: nil) == 40)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a batch that is refused drops nothing`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    var batch = WriteBatch()
    batch.appendDrop(of: store.songs)
    batch.check(key: [1], in: store.index, expecting: .absent)
    batch.sort()
    expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
    #expect(try store.backend.count(of: store.songs) == 40)
    #expect(try store.backend.keyspaces().count == 3)
    var other = WriteBatch()
    other.put([1], row: 90, in: store.songs)
    other.appendDrop(of: store.songs)
    other.sort()
    #expect(throws: BackendError.self) { _ = try store.backend.commit(other, durability: .full) }
    #expect(try store.backend.count(of: store.songs) == 40)
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a keyspace that never had a record can be dropped`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { $0.appendDrop(of: store.index) }
    expectError(.noSuchKeyspace) { _ = try store.backend.count(of: store.index) }
    #expect(try store.backend.keyspaceID(of: .tree, named: Array("Song.seconds".utf8)) != store.index)
    try store.backend.commit { batch in
      batch.appendDrop(of: store.names)
      batch.put([1], row: 1, in: store.songs)
    }
    #expect(try store.backend.count(of: store.songs) == 1)
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    #expect(try store.backend.keyspaces().map(\.id).contains(store.songs))
    #expect(try store.backend.count(of: store.songs) == 1)
  }
}
