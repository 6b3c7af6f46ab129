import SmallBackend
import Synchronization
import TestSupport
import Testing
import Todana

/// The hint that another backend has committed to the same data.
@Suite struct ExternalCommitTests {
  /// A counter of a handler's calls.
  private final class Hints: Sendable {
    private let storage = Mutex(0)

    var count: Int { storage.withLock { $0 } }
    func add() { storage.withLock { $0 += 1 } }
  }

  private func put(_ number: UInt8, to backend: any StoreBackend, _ songs: KeyspaceID) throws {
    try backend.commit(.relaxed) { batch in batch.put([number], row: 1, in: songs, expecting: .anything) }
  }

  @Test(arguments: TestedBackend.allCases)
  func `a backend's own commits cause no hint`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let hints = Hints()
    store.backend.setExternalCommitHandler { hints.add() }
    try put(1, to: store.backend, store.songs)
    try put(2, to: store.backend, store.songs)
    store.backend.setExternalCommitHandler(nil)
    try put(3, to: store.backend, store.songs)
    #expect(hints.count == 0)
  }

  @Test func `a commit by another backend causes one hint, until the handler is removed`() throws {
    let backend = DictionaryBackend()
    let other = DictionaryBackend(sharing: backend)
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    let (hints, otherHints, laterHints) = (Hints(), Hints(), Hints())
    backend.setExternalCommitHandler { hints.add() }
    other.setExternalCommitHandler { otherHints.add() }
    try put(1, to: other, songs)
    #expect((hints.count, otherHints.count) == (1, 0))
    try put(2, to: backend, songs)
    #expect((hints.count, otherHints.count) == (1, 1))
    // The handler may read the new commit.
    backend.setExternalCommitHandler { [weak backend] in
      if (try? backend?.count(of: songs)) == 1 { laterHints.add() }
    }
    try put(3, to: other, songs)
    #expect((hints.count, laterHints.count) == (1, 1))
    backend.setExternalCommitHandler(nil)
    try put(4, to: other, songs)
    #expect((hints.count, laterHints.count) == (1, 1))
  }

  @Test func `a batch that is refused, or has checks only, causes no hint`() throws {
    let backend = DictionaryBackend()
    let other = DictionaryBackend(sharing: backend)
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try put(1, to: backend, songs)
    let hints = Hints()
    backend.setExternalCommitHandler { hints.add() }
    expectError(.conflict) {
      try other.commit(.relaxed) { batch in batch.put([1], row: 1, in: songs, expecting: .absent) }
    }
    try other.commit(.relaxed) { batch in
      batch.append(.init(keyspace: songs, kind: .check, expectation: .present, key: .row(1), value: 0..<0))
    }
    #expect(hints.count == 0)
  }
}
