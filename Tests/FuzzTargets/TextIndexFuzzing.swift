import Todana

/// The fuzzing of the records of a text index: its header, its pending entries and its lists of stale rows.
///
/// An input is a byte that selects the operations, and changes of records. The records belong to a small store in memory
/// whose index has two segments, a pending entry and stale rows. Searches may give wrong results afterwards, but
/// every error is typed, no object is lost, and a new build repairs the index.
enum TextIndexFuzzing {
  static func run(_ bytes: [UInt8]) {
    do {
      var input = FuzzInput(bytes)
      let operations = Operations(rawValue: input.byte())
      let backend = try makeBackend()
      try change(backend, &input)
      try use(backend, operations)
      try backend.close()
    } catch {
      fatalError("a text index is not used: \(error)")
    }
  }

  /// Operations on the store with the changed index.
  private struct Operations: OptionSet {
    let rawValue: UInt8

    static let buildsOnOpening = Operations(rawValue: 1)
    static let saves = Operations(rawValue: 2)
    static let merges = Operations(rawValue: 4)
    static let verifies = Operations(rawValue: 8)
    static let empties = Operations(rawValue: 16)
    static let suggests = Operations(rawValue: 32)
    static let savesMany = Operations(rawValue: 64)
  }

  private static let rowCount = 128

  /// The changes of a record's bytes.
  private enum ChangeKind: UInt8, CaseIterable {
    case header, headerField, pending, stale, any
  }

  static var seeds: [[UInt8]] {
    var seeds: [[UInt8]] = (0..<8).map { [UInt8(1) << $0] }
    let everything: UInt8 = 0x6E
    do {
      let backend = try makeBackend()
      let header = try records(of: backend).first { $0.key == [0] }?.value ?? []
      let classID = try backend.keyspaces().first { $0.name == Array("Leaf".utf8) }?.id.rawValue ?? 0
      try backend.close()
      // The whole header, its parts, and its numbers.
      seeds.append([everything, 0, 0, 0, UInt8(header.count & 0xFF), UInt8(header.count >> 8)] + header)
      for start in stride(from: 0, to: header.count, by: 24) {
        let part = header[start..<min(start + 24, header.count)]
        seeds.append([everything, 0, UInt8(start & 0xFF), UInt8(start >> 8), UInt8(part.count), 0] + part)
      }
      for field in 0..<6 as Range<UInt8> {
        for value: UInt64 in [0, 1, 20, 1 << 31, 1 << 62, .max] {
          seeds.append([everything, 1, field] + (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
        }
      }
      seeds.append([everything, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 7, 1])
      seeds.append([everything, 3, 0, 3, 1, 1, 0x7F, 3, 1, 2, 0xFF, 0xFF])
      // The keyspace of the first segment is that of the class, all its rows are stale, and there is no pending entry.
      let segment = [UInt8(classID), 0, 0, 0, 0, 0, 0, 0, UInt8(rowCount / 2 + 1), 0, 0, 0, 0, 0, 0, 0]
      let erasure: [UInt8] = [4, 8, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0]
      seeds.append([Operations.merges.rawValue, 0, 33, 0, 16, 0] + segment + erasure)
      seeds.append([everything, 4, 9, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    } catch {
      fatalError("there is no sample: \(error)")
    }
    return seeds
  }

  private static func open(_ backend: KyotoBackend, _ building: IndexBuildingTime = .manual) throws(StoreError) -> Store
  {
    var configuration = StoreConfiguration()
    configuration.indexBuilding = building
    return try Store(backend: backend, classes: [Leaf.self], configuration: configuration)
  }

  /// Makes a store with a text index of two segments.
  private static func makeBackend() throws -> KyotoBackend {
    let backend = try KyotoBackend(.inMemory)
    let store = try open(backend)
    var leaves: [Leaf] = []
    for number in 0..<rowCount {
      let leaf = Leaf()
      leaf.text = "blue \(number)"
      try store.insert(leaf)
      leaves.append(leaf)
      if number == rowCount / 2 {
        try store.saveChanges()
        try store.buildIndexes()
      }
    }
    try store.update(leaves[1]) { $0.text = "green 1" }
    try store.saveChanges()
    try store.buildIndexes()
    try store.update(leaves[5]) { $0.text = "green 5" }
    try store.saveChanges()
    try store.close()
    return backend
  }

  private static func tree(of backend: KyotoBackend) throws -> KeyspaceID {
    guard let tree = try backend.keyspaces().first(where: { $0.kind == .tree && $0.name.starts(with: "text".utf8) })
    else { fatalError("there is no text index") }
    return tree.id
  }

  /// Returns the records of the index's tree.
  private static func records(of backend: KyotoBackend) throws -> [(key: [UInt8], value: [UInt8])] {
    let scan = try backend.snapshot().scan(tree: try tree(of: backend), from: nil, to: nil, descending: false)
    let chunk = RecordChunk()
    var records: [(key: [UInt8], value: [UInt8])] = []
    while true {
      try scan.next(into: chunk)
      if chunk.slices.isEmpty { return records }
      for slice in chunk.slices {
        unsafe records.append(([UInt8](chunk.arena.bytes[slice.key]), [UInt8](chunk.arena.bytes[slice.value])))
      }
    }
  }

  /// Applies the changes of an input to the records of the index's tree.
  private static func change(_ backend: KyotoBackend, _ input: inout FuzzInput) throws {
    var records = Dictionary(uniqueKeysWithValues: try records(of: backend))
    let former = Set(records.keys)
    while !input.isAtEnd {
      switch ChangeKind.allCases[Int(input.byte()) % ChangeKind.allCases.count] {
      case .header:
        var header = records[[0]] ?? []
        let start = input.number()
        let part = input.bytes(input.number())
        if start == 0, part.count > 40 { header = [] }
        header += [UInt8](repeating: 0, count: max(0, min(start, 4096) + part.count - header.count))
        for (place, byte) in part.enumerated() where start + place < header.count { header[start + place] = byte }
        records[[0]] = header
      case .headerField:
        var header = records[[0]] ?? []
        let start = 1 + 8 * Int(input.byte() % 8)
        for place in start..<start + 8 {
          let byte = input.byte()
          if place < header.count { header[place] = byte }
        }
        records[[0]] = header
      case .pending:
        let key = [1, 0, 0, 0, 0, 0, 0, 0, input.byte()]
        records[key] = input.bytes(Int(input.byte()) % 16)
      case .stale:
        let stale = records.keys.filter { $0.first == 2 }.sorted { $0.lexicographicallyPrecedes($1) }
        let number = Int(input.byte())
        let value = input.bytes(Int(input.byte()))
        if !stale.isEmpty { records[stale[number % stale.count]] = value }
      case .any:
        let key = input.bytes(1 + Int(input.byte()) % 16)
        let value = input.bytes(Int(input.byte()))
        if !key.isEmpty { records[key] = value.isEmpty ? nil : value }
      }
    }
    let id = try tree(of: backend)
    var batch = WriteBatch()
    for key in former.union(records.keys) {
      let added = batch.arena.append(key)
      let value = records[key].map { batch.arena.append($0) }
      batch.append(
        .init(
          keyspace: id, kind: value == nil ? .remove : .put, expectation: .anything, key: .bytes(added),
          value: value ?? 0..<0))
    }
    batch.sort()
    _ = try backend.commit(batch, durability: .relaxed)
  }

  /// Calls the closure, which may throw an error of the store only.
  private static func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      guard error is StoreError else { fatalError("an error has no type: \(error)") }
    }
  }

  private static func use(_ backend: KyotoBackend, _ operations: Operations) throws {
    var count = rowCount
    do {
      let store = try open(backend, operations.contains(.buildsOnOpening) ? .onOpening : .manual)
      search(store, operations)
      if operations.contains(.saves) {
        for number in 0..<(operations.contains(.savesMany) ? 40 : 2) {
          attempt {
            let leaf = Leaf()
            leaf.text = "blue more \(number)"
            try store.insert(leaf)
            if let first = try store.fetch(Leaf.self).first { try store.update(first) { $0.text += " red" } }
            try store.saveChanges()
            count += 1
          }
          store.discardChanges()
        }
      }
      if operations.contains(.merges) { attempt { try store.buildIndexes() } }
      search(store, operations)
      attempt { _ = try store.storedIndexes }
      if operations.contains(.verifies) { attempt { _ = try store.verify() } }
      if operations.contains(.empties) {
        attempt { try store.emptyStoredIndex(named: "text", ofClassNamed: "Leaf") }
        search(store, operations)
      }
      try store.close()
    }
    let store = try open(backend)
    try store.rebuildIndexes(of: Leaf.self)
    guard try store.fetch(Leaf.self).count == count else { fatalError("objects are lost") }
    let found = try store.count(Leaf.where { $0.text.matches(.word("blue")) })
    guard found == (try store.fetch(Leaf.self).count { $0.text.hasPrefix("blue") }) else {
      fatalError("a new index gives wrong results")
    }
    if operations.contains(.verifies) {
      guard try store.verify().problems.isEmpty else { fatalError("a new index is not sound") }
    }
    try store.close()
  }

  private static func search(_ store: Store, _ operations: Operations) {
    for expression: TextExpression in [
      .word("blue"), !.word("green"), .phrase("blue 3"), .prefix("gr") || .word("7"),
    ] {
      attempt { _ = try store.fetch(Leaf.where { $0.text.matches(expression) }) }
    }
    attempt { _ = try store.count(Leaf.where { $0.text.matches(.word("blue")) }) }
    attempt { _ = try store.hits(Leaf.where { $0.text.matches(.word("blue")) }.sorted(by: .relevance).limit(3)) }
    if operations.contains(.suggests) {
      attempt { _ = try store.suggestions(for: "blu", of: Leaf.self, in: "text") }
    }
  }
}

/// The bytes of one input, taken from the front; zeros follow its end.
private struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }
  mutating func number() -> Int { Int(byte()) | Int(byte()) << 8 }
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}

private final class Leaf: StoredObject {
  var text = ""

  override class var textIndexes: [TextIndex] { [TextIndex(\Leaf.text, name: "text", findsSubstrings: false)] }

  override func readContent(from buffer: inout DataBuffer) throws { text = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(text) }
}
