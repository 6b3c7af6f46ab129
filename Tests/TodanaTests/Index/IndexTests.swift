// The entries of indexes, across saves, stores and runs of a program.
import Foundation
import TestSupport
import Testing
import Todana

/// The base class of songs in several versions of a program, each with other indexes.
private class Versioned: StoredObject {
  final var title = ""
  final var seconds: UInt32 = 0
  final var code: String?

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    code = try buffer.readOptionalString()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeOptionalString(code)
  }

  convenience init(_ title: String, _ seconds: UInt32, code: String? = nil) {
    self.init()
    self.title = title
    self.seconds = seconds
    self.code = code
  }
}

private final class Plain: Versioned {
  override class var storedName: String { "Song" }
}

private final class BySeconds: Versioned {
  override class var storedName: String { "Song" }
  override class var indexes: [Index] { [Index(\BySeconds.seconds, name: "seconds")] }
}

private final class ByTitle: Versioned {
  override class var storedName: String { "Song" }
  override class var indexes: [Index] { [Index(\ByTitle.title, \ByTitle.seconds, name: "title")] }
}

/// A version with the same index name and another key.
private final class SecondsDescending: Versioned {
  override class var storedName: String { "Song" }
  override class var indexes: [Index] { [Index(.descending(\SecondsDescending.seconds), name: "seconds")] }
}

private final class UniqueCode: Versioned {
  override class var storedName: String { "Song" }
  override class var indexes: [Index] { [Index(\UniqueCode.code, unique: true, name: "code")] }
}

private final class UniqueWithNil: Versioned {
  override class var storedName: String { "Song" }
  override class var indexes: [Index] {
    [Index(\UniqueWithNil.code, unique: true, nilIsDistinct: false, name: "code")]
  }
}

@Suite struct IndexTests {
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    try body(directory.path("Store.todana"))
  }

  private func open<T: StoredObject>(
    _ path: String, _ type: T.Type, building: IndexBuildingTime = .onOpening
  ) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.indexBuilding = building
    return try Store(.directory(path), classes: [type], configuration: configuration)
  }

  // MARK: From run to run

  @Test func `a new index is built, a dropped one is emptied, and a changed one is rebuilt`() throws {
    try withDirectory { path in
      var store = try open(path, Plain.self)
      for number in 0..<3000 { try store.insert(Plain("Song \(number % 100)", UInt32(number % 50))) }
      try store.saveChanges()
      try store.close()

      store = try open(path, BySeconds.self)
      #expect(try store.indexes.map(\.isComplete) == [true])
      #expect(try store.indexes.map(\.entryCount) == [3000])
      let query = BySeconds.where { $0.seconds == 7 }
      #expect(try store.explain(query).indexNames == ["seconds"])
      #expect(try store.fetch(query).count == 60)
      #expect(try store.verify().problems.isEmpty)
      try store.close()

      // Changes by a program without the index must not leave it stale.
      store = try open(path, ByTitle.self)
      try store.insert(ByTitle("New", 7))
      try store.delete(try store.fetch(ByTitle.where { $0.seconds == 7 }.limit(10)))
      try store.saveChanges()
      #expect(try store.explain(ByTitle.where { $0.title == "New" }).indexNames == ["title"])
      #expect(try store.count(ByTitle.where { $0.title == "New" }) == 1)
      #expect(try store.verify().problems.isEmpty)
      try store.close()

      store = try open(path, BySeconds.self)
      #expect(try store.count(BySeconds.where { $0.seconds == 7 }) == 51)
      #expect(try store.verify().problems.isEmpty)
      try store.close()

      store = try open(path, SecondsDescending.self)
      let descending = SecondsDescending.all.sorted(by: \.seconds, .descending).limit(3)
      #expect(try store.explain(descending).sorts == false)
      #expect(try store.fetch(descending).map(\.seconds) == [49, 49, 49])
      #expect(try store.verify().problems.isEmpty)
      try store.close()
    }
  }

  @Test func `queries scan all objects until an index is built, and saves keep it up to date`() throws {
    try withDirectory { path in
      var store = try open(path, Plain.self)
      for number in 0..<1000 { try store.insert(Plain("Song", UInt32(number % 10))) }
      try store.saveChanges()
      try store.close()

      store = try open(path, BySeconds.self, building: .manual)
      let query = BySeconds.where { $0.seconds == 3 }
      #expect(try store.indexes.map(\.isComplete) == [false])
      #expect(try store.explain(query).access == .scan)
      #expect(try store.count(query) == 100)
      // Change, delete and add rows that the builder has not reached.
      let songs = try store.fetch(query)
      for song in songs.prefix(20) { try store.update(song) { $0.seconds = 100 } }
      for song in songs.suffix(20) { try store.delete(song) }
      try store.insert(BySeconds("Late", 3))
      try store.saveChanges()
      #expect(try store.count(query) == 61)

      struct Stop: Error {}
      #expect(throws: Stop.self) { try store.buildIndexes { _ in throw Stop() } }
      #expect(try store.indexes.map(\.isComplete) == [false])
      var last: IndexBuildingProgress?
      try store.buildIndexes { last = $0 }
      #expect(last?.doneCount == last?.totalCount)
      #expect(try store.indexes.map(\.isComplete) == [true])
      #expect(try store.explain(query).indexNames == ["seconds"])
      #expect(try store.count(query) == 61)
      #expect(try store.count(BySeconds.where { $0.seconds == 100 }) == 20)
      #expect(try store.verify().problems.isEmpty)
      try store.close()
    }
  }

  @Test func `an index is built in the background while the store changes`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Store.todana")
    do {
      let store = try open(path, Plain.self)
      for number in 0..<30_000 { try store.insert(Plain("Song", UInt32(number % 100))) }
      try store.saveChanges()
      try store.close()
    }
    let store = try open(path, BySeconds.self, building: .background)
    var generator = SeededGenerator(seed: 5)
    let songs = try store.fetch(BySeconds.self)
    var expected = songs.map(\.seconds)
    var rounds = 0
    while try store.indexes.contains(where: { !$0.isComplete }), rounds < 10_000 {
      rounds += 1
      for _ in 0..<5 {
        let position = Int.random(in: 0..<songs.count, using: &generator)
        expected[position] = UInt32.random(in: 0..<100, using: &generator)
        try store.update(songs[position]) { $0.seconds = expected[position] }
      }
      try store.saveChanges(durability: .relaxed)
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(try store.indexes.allSatisfy(\.isComplete))
    for seconds in UInt32(0)..<100 {
      #expect(try store.count(BySeconds.where { $0.seconds == seconds }) == expected.count { $0 == seconds })
    }
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }

  @Test func `an index over a property that old records lack has the values from reading them`() throws {
    final class First: StoredObject {
      var title = ""
      override class var storedName: String { "Grown" }
      override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
      override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
    }
    final class Second: StoredObject {
      var title = ""
      var genre: String? = "unknown"
      override class var storedName: String { "Grown" }
      override class var version: UInt8 { 2 }
      override class var indexes: [Index] { [Index(\Second.genre, name: "genre")] }
      override func readContent(from buffer: inout DataBuffer) throws {
        title = try buffer.readString()
        if buffer.version >= 2 { genre = try buffer.readOptionalString() }
      }
      override func writeContent(to buffer: inout DataBuffer) {
        buffer.writeString(title)
        buffer.writeOptionalString(genre)
      }
    }
    try withDirectory { path in
      var store = try open(path, First.self)
      for number in 0..<100 {
        let object = First()
        object.title = "\(number)"
        try store.insert(object)
      }
      try store.saveChanges()
      try store.close()
      store = try open(path, Second.self)
      let unknown = Second.where { $0.genre == "unknown" }
      #expect(try store.count(unknown) == 100)
      let object = Second()
      object.genre = nil
      try store.insert(object)
      let old = try #require(try store.first(unknown))
      try store.update(old) { $0.genre = "Jazz" }
      try store.saveChanges()
      #expect(try store.explain(Second.where { $0.genre == nil }).indexNames == ["genre"])
      #expect(try store.count(unknown) == 99)
      #expect(try store.count(Second.where { $0.genre == nil }) == 1)
      #expect(try store.verify().problems.isEmpty)
      try store.close()
    }
  }

  // MARK: Unique

  @Test(arguments: EveryBackend.allCases)
  func `a unique index refuses a save that would give two objects the same values`(kind: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    defer { try? backend.close() }
    let store = try Store(backend: backend, classes: [UniqueCode.self])
    let first = UniqueCode("First", 1, code: "A")
    let second = UniqueCode("Second", 2, code: "B")
    for song in [first, second, UniqueCode("Third", 3), UniqueCode("Fourth", 4)] { try store.insert(song) }
    try store.saveChanges()

    // A conflict with a saved object.
    let third = UniqueCode("Fifth", 5, code: "A")
    try store.insert(third)
    let error = #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    #expect(error?.indexName == "code")
    #expect(error?.values == ["\"A\""])
    #expect(error?.objectID == third.anyID)
    #expect(error?.otherObjectID == first.anyID)
    #expect(store.hasUnsavedChanges)
    #expect(try store.count(UniqueCode.self, includingPending: false) == 4)

    // A conflict within one save.
    third.code = "C"
    let fourth = UniqueCode("Sixth", 6, code: "C")
    try store.insert(fourth)
    let other = #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    #expect(Set([other?.objectID, other?.otherObjectID]) == [third.anyID, fourth.anyID])
    fourth.code = "D"
    try store.saveChanges()

    // Values are checked in the state after the save: objects may swap them, or take them over from deleted objects.
    try store.update(first) { $0.code = "B" }
    try store.update(second) { $0.code = "A" }
    try store.saveChanges()
    #expect(try store.first(UniqueCode.where { $0.code == "A" }) === second)
    try store.delete(first)
    try store.update(third) { $0.code = "B" }
    try store.saveChanges()
    #expect(try store.first(UniqueCode.where { $0.code == "B" }) === third)

    // A conflict with another store's commit.
    let otherStore = try Store(backend: backend, classes: [UniqueCode.self])
    try otherStore.insert(UniqueCode("Seventh", 7, code: "E"))
    try otherStore.saveChanges()
    let late = UniqueCode("Eighth", 8, code: "E")
    try store.insert(late)
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    try store.delete(late)
    try store.saveChanges()
    #expect(try store.verify().problems.isEmpty)
    try otherStore.close()
    try store.close()
  }

  @Test func `nil is distinct in a unique index unless the index says otherwise`() throws {
    let store = try Store(.inMemory, classes: [UniqueWithNil.self])
    try store.insert(UniqueWithNil("First", 1))
    try store.saveChanges()
    try store.insert(UniqueWithNil("Second", 2))
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    try store.close(discarding: true)
  }

  @Test func `a unique index over duplicates is an error that names two objects, and saves still work`() throws {
    try withDirectory { path in
      var store = try open(path, Plain.self)
      for number in 0..<500 { try store.insert(Plain("Song", 0, code: "\(number % 400)")) }
      try store.saveChanges()
      try store.close()
      store = try open(path, UniqueCode.self)
      #expect(try store.indexes.first?.isComplete == false)
      #expect(try store.indexes.first?.failure is UniqueViolation)
      let error = #expect(throws: UniqueViolation.self) { try store.buildIndexes() }
      #expect(error?.values.count == 1)
      #expect(try store.count(UniqueCode.where { $0.code == "7" }) == 2)
      for song in try store.fetch(UniqueCode.all.offset(400)) { try store.delete(song) }
      try store.saveChanges()
      try store.buildIndexes()
      #expect(try store.indexes.first?.isComplete == true)
      #expect(try store.verify().problems.isEmpty)
      try store.close()
    }
  }

  // MARK: Several stores, errors

  @Test func `two stores of a backend share one index, and must declare the same indexes`() throws {
    let backend = try KyotoBackend(.inMemory)
    defer { try? backend.close() }
    let first = try Store(backend: backend, classes: [BySeconds.self])
    let second = try Store(backend: backend, classes: [BySeconds.self])
    try first.insert(BySeconds("A", 1))
    try first.saveChanges()
    try second.insert(BySeconds("B", 1))
    try second.saveChanges()
    #expect(try first.count(BySeconds.where { $0.seconds == 1 }) == 2)
    let error = #expect(throws: StoreError.self) { try Store(backend: backend, classes: [ByTitle.self]) }
    #expect(error?.code == .indexesDiffer)
    try first.close()
    try second.close()
    let third = try Store(backend: backend, classes: [ByTitle.self])
    #expect(try third.count(ByTitle.where { $0.title == "B" }) == 1)
    try third.close()
  }

  @Test func `stores with and without indexes of a class cannot be open together`() throws {
    final class Plain: StoredObject {
      override class var storedName: String { BySeconds.storedName }
      override func readContent(from buffer: inout DataBuffer) throws { try buffer.skip(buffer.remainingByteCount) }
    }
    for plainFirst in [true, false] {
      let backend = try KyotoBackend(.inMemory)
      defer { try? backend.close() }
      let classes = [Plain.self, BySeconds.self] as [StoredObject.Type]
      let first = try Store(backend: backend, classes: [classes[plainFirst ? 0 : 1]])
      let error = #expect(throws: StoreError.self) {
        try Store(backend: backend, classes: [classes[plainFirst ? 1 : 0]])
      }
      #expect(error?.code == .indexesDiffer)
      try first.close()
    }
  }

  @Test func `a value that was changed without notice does not stay in an index`() throws {
    let store = try Store(
      .inMemory, classes: [BySeconds.self], configuration: StoreConfiguration(detectsUnannouncedChanges: false))
    let song = BySeconds("A", 1)
    try store.insert(song)
    try store.saveChanges()
    song.seconds = 2  // without `update`
    try store.update(song) { $0.title = "B" }
    try store.saveChanges()
    #expect(try store.count(BySeconds.where { $0.seconds == 1 }) == 0)
    #expect(try store.count(BySeconds.where { $0.seconds == 2 }) == 1)
    song.seconds = 3
    try store.delete(song)
    try store.saveChanges()
    #expect(try store.verify().problems.isEmpty)
    #expect(try store.indexes.first?.entryCount == 0)
    try store.close()
  }

  @Test func `an invalid index is an error that says what to do`() throws {
    final class Unnamed: StoredObject {
      var title: String { "computed" }
      override class var indexes: [Index] { [Index(\Unnamed.title)] }
    }
    final class Twice: StoredObject {
      var title = ""
      override class var indexes: [Index] { [Index(\Twice.title), Index(\Twice.title, unique: true)] }
    }
    final class Foreign: StoredObject {
      override class var indexes: [Index] { [Index(\Twice.title)] }
    }
    final class Long: StoredObject {
      var title = ""
      override class var indexes: [Index] {
        [Index(\Long.title, \Long.title, \Long.title, \Long.title, \Long.title, \Long.title, \Long.title)]
      }
    }
    let cases: [(StoredObject.Type, String)] = [
      (Unnamed.self, "name:"), (Twice.self, "\"title\""), (Foreign.self, "Twice"), (Long.self, "7 parts"),
    ]
    for (type, part) in cases {
      let error = #expect(throws: StoreError.self) { try Store(.inMemory, classes: [type]) }
      #expect(error?.code == .invalidIndex)
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
  }

  @Test func `a store with a truncated index file opens, and answers without the index`() throws {
    try withDirectory { path in
      var store = try open(path, BySeconds.self)
      for number in 0..<3000 { try store.insert(BySeconds("Song", UInt32(number % 50))) }
      try store.saveChanges()
      try store.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      let name = try #require(names.first { $0.contains("index") && $0.hasSuffix(".kct") })
      let file = try FileHandle(forUpdating: URL(filePath: "\(path)/\(name)"))
      try file.truncate(atOffset: 5000)
      try file.close()
      store = try open(path, BySeconds.self)
      #expect(try store.indexes.map(\.isComplete) == [false])
      #expect(try store.count(BySeconds.where { $0.seconds == 7 }) == 60)
      #expect(try store.fetch(BySeconds.self).count == 3000)
      #expect(try !store.verify().isSound)
      try store.close()
    }
  }

  @Test func `verify ends with damage to any page of an index`() throws {
    try withDirectory { path in
      var store = try open(path, BySeconds.self)
      for number in 0..<3000 { try store.insert(BySeconds("Song", UInt32(number % 50))) }
      try store.saveChanges()
      try store.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      let name = try #require(names.first { $0.contains("index") && $0.hasSuffix(".kct") })
      let url = URL(filePath: "\(path)/\(name)")
      let content = try Data(contentsOf: url)
      var refusedCount = 0
      for page in 0..<content.count / 4096 {
        var damaged = content
        damaged[page * 4096 + 700] ^= 4
        try damaged.write(to: url)
        store = try open(path, BySeconds.self)
        let report = try store.verify()
        // Each problem is reported once.
        #expect(report.problemCount > 0 && report.problemCount < 20, "page \(page): \(report.problems)")
        refusedCount += report.isSound ? 0 : 1
        #expect(try store.fetch(BySeconds.self).count == 3000, "page \(page)")
        try store.close()
        try content.write(to: url)
      }
      #expect(refusedCount == content.count / 4096)
    }
  }

  @Test func `an index is rebuilt on demand, and verify finds its errors`() throws {
    let backend = try KyotoBackend(.inMemory)
    defer { try? backend.close() }
    let store = try Store(backend: backend, classes: [BySeconds.self])
    for number in 0..<100 { try store.insert(BySeconds("Song", UInt32(number))) }
    try store.saveChanges()
    let tree = try #require(try backend.keyspaces().first { $0.kind == .tree })
    // Removes the entry of row 5, and adds one of a row that does not exist.
    func key(_ seconds: UInt8, _ row: UInt8) -> [UInt8] { [1, 0, 0, 0, seconds, 0, 0, 0, 0, 0, 0, 0, row] }
    try backend.commit { batch in
      batch.erase(key: key(4, 5), in: tree.id)
      batch.put([], key: key(4, 200), in: tree.id)
    }
    let report = try store.verify()
    #expect(report.problems.map(\.kind) == [.wrongIndex, .wrongIndex])
    #expect(Set(report.problems.map(\.rowID)) == [5, 200])
    let error = #expect(throws: StoreError.self) { try store.fetch(BySeconds.where { $0.seconds == 4 }) }
    #expect(error?.code == .damagedIndex)
    try store.rebuildIndexes(of: BySeconds.self, named: "seconds")
    #expect(try store.verify().problems.isEmpty)
    #expect(try store.fetch(BySeconds.where { $0.seconds == 4 }).count == 1)
    try store.close()
  }
}
