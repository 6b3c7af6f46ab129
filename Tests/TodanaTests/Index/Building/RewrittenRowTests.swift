// Rows that are saved again with equal index keys between the builder's reading and its commit.
import TestSupport
import Testing
import Todana

/// The first version of a class, without indexes.
private final class PlainItem: StoredObject {
  final var code: UInt32 = 0
  final var group: UInt32 = 0
  final var note = ""

  override class var storedName: String { "Item" }

  override func readContent(from buffer: inout DataBuffer) throws {
    code = try buffer.readUInt32()
    group = try buffer.readUInt32()
    note = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeUInt32(code)
    buffer.writeUInt32(group)
    buffer.writeString(note)
  }
}

/// An object with a unique and an ordinary index, an index with both properties, and a property outside all of them.
private final class Item: StoredObject {
  final var code: UInt32 = 0
  final var group: UInt32 = 0
  final var note = ""

  override class var storedName: String { "Item" }
  override class var version: UInt8 { 2 }
  override class var indexes: [Index] {
    [
      Index(\Item.code, unique: true, name: "code"), Index(\Item.group, name: "group"),
      Index(\Item.group, \Item.code, unique: true, name: "both"),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    code = try buffer.readUInt32()
    group = try buffer.readUInt32()
    note = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeUInt32(code)
    buffer.writeUInt32(group)
    buffer.writeString(note)
  }
}

@Suite struct RewrittenRowTests {
  private static let count: UInt32 = 2100

  private func open(_ backend: any StoreBackend) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.indexBuilding = .manual
    return try Store(backend: backend, classes: [Item.self], configuration: configuration)
  }

  private func makeBackend(_ kind: EveryBackend, in directory: TemporaryDirectory) throws -> any StoreBackend {
    let backend = try kind.open(in: directory)
    let store = try Store(backend: backend, classes: [PlainItem.self])
    for number in 0..<Self.count {
      let item = PlainItem()
      item.code = number
      item.group = number % 10
      try store.insert(item)
    }
    try store.saveChanges()
    try store.close()
    return backend
  }

  private func check(_ store: Store) throws {
    #expect(try store.indexes.map(\.isComplete) == [true, true, true])
    #expect(try store.indexes.map(\.entryCount) == [Int(Self.count), Int(Self.count), Int(Self.count)])
    #expect(try store.count(Item.where { $0.group == 3 }) == Int(Self.count / 10))
    for code in stride(from: 0, to: Self.count, by: 37) {
      #expect(try store.count(Item.where { $0.code == code }) == 1)
    }
    #expect(try store.verify().problems.isEmpty)
  }

  /// The call of the progress closure at which the rows are rewritten: while rows are read, and while entries are
  /// added.
  static let steps = [1, 2, 4]

  @Test(arguments: EveryBackend.allCases, steps)
  func `an update of other properties while an index is built leaves all entries`(
    kind: EveryBackend, step: Int
  ) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let backend = try makeBackend(kind, in: directory)
    defer { try? backend.close() }
    let (builder, other) = (try open(backend), try open(backend))
    var calls = 0
    try builder.buildIndexes { _ in
      calls += 1
      guard calls == step else { return }
      for item in try other.fetch(Item.self) { try other.update(item) { $0.note = "changed" } }
      try other.saveChanges()
    }
    #expect(calls >= step)
    try check(builder)
    try check(other)
    try builder.close()
    try other.close()
  }

  @Test(arguments: EveryBackend.allCases, steps)
  func `an upgrade while an index is built leaves all entries`(kind: EveryBackend, step: Int) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let backend = try makeBackend(kind, in: directory)
    defer { try? backend.close() }
    let (builder, other) = (try open(backend), try open(backend))
    var calls = 0
    try builder.buildIndexes { _ in
      calls += 1
      guard calls == step else { return }
      let report = try other.upgrade(Item.self)
      #expect(report.upgradedCount == Int(Self.count))
    }
    #expect(calls >= step)
    try check(builder)
    try check(other)
    try builder.close()
    try other.close()
  }

  @Test(arguments: EveryBackend.allCases)
  func `objects with equal values can be saved until a unique index finds them`(kind: EveryBackend) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let backend = try makeBackend(kind, in: directory)
    defer { try? backend.close() }
    let store = try open(backend)
    let first = try #require(try store.first(Item.where { $0.code == 1 }))
    // The index does not have the first item's entry yet.
    let second = Item()
    second.code = 1
    try store.insert(second)
    try store.saveChanges()
    try store.update(first) { $0.note = "changed" }
    try store.saveChanges()
    try store.update(second) { $0.note = "changed" }
    try store.saveChanges()
    #expect(throws: UniqueViolation.self) { try store.buildIndexes() }
    try store.update(first) { $0.code = Self.count }
    try store.update(second) { $0.note = "changed again" }
    try store.saveChanges()
    try store.update(first) { $0.code = 1 }
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    try store.update(first) { $0.code = Self.count }
    try store.update(second) { $0.group = 1 }
    try store.saveChanges()
    try store.buildIndexes()
    #expect(try store.indexes.map(\.entryCount) == [2101, 2101, 2101])
    #expect(try store.verify().problems.isEmpty)
    #expect(try store.count(Item.where { $0.code == 1 }) == 1)
    #expect(try store.count(Item.where { $0.code == Self.count }) == 1)
    try store.close()
  }
}
