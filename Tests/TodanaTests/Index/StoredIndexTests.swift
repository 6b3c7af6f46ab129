import TestSupport
import Testing
import Todana

/// Stored indexes in a program that lacks their class.
@Suite struct StoredIndexTests {
  @Test func `indexes are listed and emptied without the class, while another store uses them`() throws {
    let backend = try KyotoBackend(.inMemory)
    let store = try Store(backend: backend, classes: [IndexedSong.self])
    for index in 0..<5 {
      let song = IndexedSong()
      song.title = "\(index)"
      song.seconds = 7
      try store.insert(song)
    }
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [])
    #expect(try other.storedIndexes.map(\.name) == ["seconds", "title"])
    #expect(try other.storedIndexes.allSatisfy { $0.isComplete && $0.entryCount == 5 && !$0.isDamaged })
    try other.emptyStoredIndex(named: "seconds", ofClassNamed: "IndexedSong")
    #expect(try other.storedIndexes.map(\.isComplete) == [false, true])
    // Queries of the store that has the class must not use the emptied index.
    #expect(try store.count(IndexedSong.where { $0.seconds == 7 }) == 5)
    try store.buildIndexes()
    #expect(try other.storedIndexes.allSatisfy { $0.isComplete && $0.entryCount == 5 })
    #expect(try store.count(IndexedSong.where { $0.seconds == 7 }) == 5)
    let error = #expect(throws: StoreError.self) {
      try other.emptyStoredIndex(named: "colour", ofClassNamed: "IndexedSong")
    }
    #expect(error?.code == .invalidIndex)
    try backend.close()
  }
}
