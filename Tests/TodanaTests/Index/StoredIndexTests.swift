import Foundation
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

  enum Damage: CaseIterable { case missing, truncated, header, withoutChecksums }

  @Test(arguments: Damage.allCases)
  func `an index whose file cannot be opened is emptied and built again`(damage: Damage) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let store = try Store(.directory(path), classes: [IndexedSong.self])
    for index in 0..<500 {
      let song = IndexedSong()
      song.title = "\(index)"
      song.seconds = UInt32(index % 7)
      try store.insert(song)
    }
    try store.saveChanges()
    try store.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    let file = "\(path)/\(try #require(names.first { $0.contains("seconds") && $0.hasSuffix(".kct") }))"
    switch damage {
    case .missing: try FileManager.default.removeItem(atPath: file)
    case .truncated: try Data(contentsOf: URL(filePath: file)).prefix(100).write(to: URL(filePath: file))
    case .header:
      var bytes = try Data(contentsOf: URL(filePath: file))
      bytes.replaceSubrange(0..<4096, with: Data(repeating: 7, count: 4096))
      try bytes.write(to: URL(filePath: file))
    case .withoutChecksums: try FileManager.default.removeItem(atPath: file + ".sums")
    }
    let tool = try Store(.directory(path), classes: [])
    #expect(try tool.storedIndexes.filter(\.isDamaged).map(\.name) == ["seconds"])
    try tool.emptyStoredIndex(named: "seconds", ofClassNamed: "IndexedSong")
    try tool.close()
    let again = try Store(.directory(path), classes: [IndexedSong.self])
    #expect(try again.indexes.allSatisfy { $0.isComplete && $0.entryCount == 500 })
    #expect(try again.count(IndexedSong.where { $0.seconds == 3 }) == 71)
    #expect(try again.verify().isSound)
    try again.close()
    // No file of the replaced tree is left.
    let trees = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".kct") }
    #expect(trees.count == 2, "\(trees)")
  }

  @Test func `a program that has the class rebuilds an index whose file is missing`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let store = try Store(.directory(path), classes: [IndexedSong.self])
    try store.insert(IndexedSong())
    try store.saveChanges()
    try store.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    let file = try #require(names.first { $0.contains("seconds") && $0.hasSuffix(".kct") })
    try FileManager.default.removeItem(atPath: "\(path)/\(file)")
    let again = try Store(.directory(path), classes: [IndexedSong.self])
    #expect(try again.count(IndexedSong.where { $0.seconds == 0 }) == 1)
    try again.rebuildIndexes(of: IndexedSong.self)
    #expect(try again.indexes.allSatisfy(\.isComplete))
    #expect(try again.verify().isSound)
    try again.close()
  }
}
