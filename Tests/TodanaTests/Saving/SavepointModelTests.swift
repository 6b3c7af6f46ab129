// Random walks with savepoints that throw or succeed, compared with plain dictionaries after every step.
import TestSupport
import Testing
import Todana

@Suite struct SavepointModelTests {
  @Test(arguments: [UInt64](1...24), [false, true])
  func `savepoints undo changes as a copy of dictionaries does`(seed: UInt64, isEncrypted: Bool) throws {
    let walk = try Walk(seed: seed, keyRing: isEncrypted ? EveryBackend.keyRing() : nil)
    for step in 0..<150 {
      try walk.step(depth: 0)
      try walk.check("seed \(seed), step \(step)")
      try walk.checkSaved("seed \(seed), step \(step)")
    }
    try walk.store.close(discarding: true)
  }

  private struct Refused: Error {}

  /// The visible state of the store, by the numbers of the songs.
  private struct Model {
    /// The titles of all objects, in the store or not.
    var titles: [String] = []
    var ids: [Int: ObjectID<Song>] = [:]
    var saved: [Int: String] = [:]
    var pending: [Int: String] = [:]
    var savedBuffers: [String: UInt64] = [:]
    var pendingBuffers: [String: UInt64?] = [:]

    var shown: [Int] { ids.keys.filter { pending[$0] != "deleted" }.sorted() }
    var buffers: [String: UInt64] {
      savedBuffers.merging(pendingBuffers.mapValues { $0 ?? 0 }) { $1 }.filter { $0.value != 0 }
    }
  }

  private final class Walk {
    let backend: FaultyBackend
    let store: Store
    var generator: SeededGenerator
    var songs: [Song] = []
    var model = Model()
    var log: [String] = []

    init(seed: UInt64, keyRing: KeyRing?) throws {
      backend = FaultyBackend(keyRing: keyRing)
      generator = SeededGenerator(seed: seed)
      store = try Store(
        backend: backend, classes: [Song.self], configuration: StoreConfiguration(detectsUnannouncedChanges: true))
    }

    func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    func step(depth: Int) throws {
      switch random(100) {
      case 0..<18: try insert()
      case 18..<42: try update()
      case 42..<55: try delete()
      case 55..<63: try writeBuffer()
      case 63..<66: try removeBuffer()
      case 66..<69: discard()
      case 69..<72: try store.turnCleanObjectsIntoFaults()
      case 72..<75: try store.refresh()
      case 75..<85: try save(depth: depth)
      default: if depth < 4 { try savepoint(depth: depth) }
      }
    }

    func savepoint(depth: Int) throws {
      let (before, isFailing) = (model, random(2) == 0)
      log.append("savepoint {")
      do {
        try store.savepoint {
          for _ in 0..<(1 + random(8)) {
            try step(depth: depth + 1)
            try check("\(log.suffix(12))")
          }
          if isFailing { throw Refused() }
        }
        log.append("}")
      } catch is Refused {
        log.append("} taken back")
        // Songs created in the savepoint keep their initial titles.
        let titles = before.titles + songs[before.titles.count...].map { "new \($0.seconds)" }
        model = before
        model.titles = titles
      }
      try check("\(log.suffix(12))")
    }

    func check(_ comment: @autoclosure () -> String) throws {
      for (number, song) in songs.enumerated() {
        try song.loadContent()
        let (id, title) = (model.ids[number], model.titles[number])
        #expect(song.id == id && song.title == title, "song \(number), \(comment())")
        let state = model.pending[number].map { "(\($0))" } ?? ""
        let isAsExpected = song.description.hasSuffix(state) && (state != "" || !song.description.contains("ed)"))
        #expect(isAsExpected, "\(comment())")
      }
      let hasChanges = !model.pending.isEmpty || !model.pendingBuffers.isEmpty
      #expect(store.hasUnsavedChanges == hasChanges, "\(comment())")
      let byID = model.shown.sorted { (model.ids[$0]?.rowID ?? 0) < (model.ids[$1]?.rowID ?? 0) }
      #expect(try store.fetch(Song.self).map(\.title) == byID.map { model.titles[$0] }, "\(comment())")
      #expect(try store.count(Song.self, includingPending: false) == model.saved.count, "\(comment())")
      #expect(try store.namedBufferNames() == model.buffers.keys.sorted(), "\(comment())")
      for (name, value) in model.buffers {
        #expect(try store.readNamedBuffer(name) { try $0.readUInt64() } == value, "\(comment())")
      }
    }

    func checkSaved(_ comment: @autoclosure () -> String) throws {
      let other = try Store(backend: backend, classes: [Song.self])
      #expect(Set(try other.fetch(Song.self).map(\.title)) == Set(model.saved.values), "\(comment())")
    }

    private func insert() throws {
      let outside = songs.indices.filter { model.ids[$0] == nil }
      let deleted = songs.indices.filter { model.pending[$0] == "deleted" }
      if let number = deleted.randomElement(using: &generator), random(3) == 0 {
        log.append("insert \(number) again")
        try store.insert(songs[number])
        model.pending[number] = "updated"
        return
      }
      let number: Int
      if let old = outside.randomElement(using: &generator), random(3) == 0 {
        number = old
      } else {
        number = songs.count
        songs.append(Song("new \(number)", seconds: UInt32(number)))
        model.titles.append("new \(number)")
      }
      log.append("insert \(number)")
      if random(4) == 0 {
        model.ids[number] = try store.insert(contentsOf: CollectionOfOne(songs[number]))[0]
      } else {
        model.ids[number] = try store.insert(songs[number])
      }
      model.pending[number] = "inserted"
    }

    private func update() throws {
      guard let number = model.shown.randomElement(using: &generator) else { return }
      let (song, title) = (songs[number], "title \(number) \(generator.next() % 1000)")
      log.append("update \(number)")
      switch random(4) {
      case 0:
        #expect(throws: Refused.self) {
          try store.update(song) { song in
            song.title = title
            throw Refused()
          }
        }
        return
      case 1:
        song.willUpdate()
        song.title = title
      case 2: try store.update(Song.where { $0.seconds == UInt32(number) }) { $0.title = title }
      default: try store.update(song) { $0.title = title }
      }
      model.titles[number] = title
      if model.pending[number] == nil { model.pending[number] = "updated" }
    }

    private func delete() throws {
      guard let number = model.shown.randomElement(using: &generator) else { return }
      log.append("delete \(number)")
      switch random(3) {
      case 0: try store.delete(songs[number])
      case 1: try store.delete([songs[number]])
      default: #expect(try store.delete([model.ids[number]].compactMap(\.self)) == 1)
      }
      if model.pending[number] == "inserted" {
        model.pending[number] = nil
        model.ids[number] = nil
      } else {
        model.pending[number] = "deleted"
      }
    }

    private func writeBuffer() throws {
      let (name, value) = ("buffer \(random(3))", generator.next() | 1)
      log.append("write \(name)")
      try store.writeNamedBuffer(name) { $0.writeUInt64(value) }
      model.pendingBuffers[name] = .some(value)
    }

    private func removeBuffer() throws {
      let name = "buffer \(random(3))"
      log.append("remove \(name)")
      try store.removeNamedBuffer(name)
      model.pendingBuffers[name] = model.savedBuffers[name] == nil ? nil : .some(nil)
    }

    private func discard() {
      log.append("discard")
      store.discardChanges()
      for (number, change) in model.pending {
        if change == "inserted" { model.ids[number] = nil } else { model.titles[number] = model.saved[number] ?? "" }
      }
      model.pending = [:]
      model.pendingBuffers = [:]
    }

    private func save(depth: Int) throws {
      guard depth == 0 else {
        #expect(#expect(throws: StoreError.self) { try store.saveChanges() }?.code == .withinSavepoint)
        return
      }
      log.append("save")
      try store.saveChanges()
      for (number, change) in model.pending where change == "deleted" { model.ids[number] = nil }
      model.savedBuffers = model.buffers
      (model.pending, model.pendingBuffers) = ([:], [:])
      model.saved = Dictionary(uniqueKeysWithValues: model.ids.keys.map { ($0, model.titles[$0]) })
    }
  }
}

/// A folder that deletes its children with itself.
private final class Folder: StoredObject {
  enum Rule: UInt8, CaseIterable { case deletes, refusesFirst, refusesLast, leavesWhatRefuses }

  var number = 0
  var rule = Rule.deletes
  var children: [Folder] = []
  var tally: Tally?

  override func readContent(from buffer: inout DataBuffer) throws {
    number = try buffer.readInt()
    rule = try buffer.readRawValue()
    children = try buffer.readReferences(Folder.self)
    tally = try buffer.readReference(Tally.self)
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(number)
    buffer.writeRawValue(rule)
    buffer.writeReferences(children)
    buffer.writeReference(tally)
  }
  override func prepareForDelete(in store: Store) throws {
    struct Refused: Error {}
    if rule == .refusesFirst { throw Refused() }
    if let tally { try store.update(tally) { $0.deletedNumbers.append(number) } }
    for child in children where child.store != nil {
      if rule == .leavesWhatRefuses { try? store.delete(child) } else { try store.delete(child) }
    }
    // Changed without `update`.
    children = []
    if rule == .refusesLast { throw Refused() }
  }
}

/// The numbers of deleted folders, in the order of the deletions.
private final class Tally: StoredObject {
  var deletedNumbers: [Int] = []
  override func readContent(from buffer: inout DataBuffer) throws { deletedNumbers = try buffer.readArray() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeArray(deletedNumbers) }
}

@Suite struct DeleteRuleModelTests {
  /// The folders that exist and those that were deleted, by the rules alone.
  private struct Model {
    var rules: [Folder.Rule] = []
    var children: [[Int]] = []
    var present: Set<Int> = []
    var deleted: [Int] = []
    var areSaved = false

    /// Deletes folders, or changes nothing and returns false.
    ///
    /// A folder whose insert was never saved cannot be deleted twice.
    mutating func delete(_ numbers: [Int]) -> Bool {
      var next = self
      for number in numbers {
        guard next.present.contains(number) || areSaved, next.delete(number) else { return false }
      }
      self = next
      return true
    }

    /// Deletes a folder and its children, or changes nothing and returns false.
    private mutating func delete(_ number: Int) -> Bool {
      guard present.contains(number) else { return true }
      var next = self
      if rules[number] == .refusesFirst { return false }
      next.deleted.append(number)
      for child in children[number] {
        if !next.delete(child), rules[number] != .leavesWhatRefuses { return false }
      }
      if rules[number] == .refusesLast { return false }
      next.present.remove(number)
      self = next
      return true
    }
  }

  @Test(arguments: [UInt64](1...30), [false, true])
  func `a delete that any descendant refuses deletes nothing`(seed: UInt64, isEncrypted: Bool) throws {
    let backend = try FaultyBackend(keyRing: isEncrypted ? EveryBackend.keyRing() : nil)
    let store = try Store(backend: backend, classes: [Folder.self, Tally.self])
    var generator = SeededGenerator(seed: seed)
    var model = Model()
    let tally = Tally()
    try store.insert(tally)
    var folders: [Folder] = []
    for number in 0..<60 {
      let folder = Folder()
      folder.number = number
      folder.tally = tally
      if Int.random(in: 0..<4, using: &generator) == 0 {
        folder.rule = Folder.Rule.allCases.randomElement(using: &generator) ?? .deletes
      }
      let isLeaf = folders.isEmpty || Bool.random(using: &generator)
      let count = isLeaf ? 0 : Int.random(in: 1...3, using: &generator)
      let children = Set((0..<count).map { _ in Int.random(in: 0..<folders.count, using: &generator) }).sorted()
      folder.children = children.map { folders[$0] }
      folders.append(folder)
      model.rules.append(folder.rule)
      model.children.append(children)
      model.present.insert(number)
    }
    try store.insert(contentsOf: folders)
    if Bool.random(using: &generator) {
      try store.saveChanges()
      model.areSaved = true
    }
    for step in 0..<12 {
      let numbers = (0..<Int.random(in: 1...3, using: &generator)).map { _ in Int.random(in: 0..<60, using: &generator)
      }
      .filter { model.present.contains($0) }
      var next = model
      let succeeds = next.delete(numbers)
      do {
        try store.delete(numbers.map { folders[$0] })
        #expect(succeeds)
      } catch { #expect(!succeeds) }
      if succeeds { model = next }
      let comment = "seed \(seed), step \(step), deleting \(numbers)"
      #expect(Set(try store.fetch(Folder.self).map(\.number)) == model.present, "\(comment)")
      #expect(tally.deletedNumbers == model.deleted, "\(comment)")
      for number in model.present {
        #expect(folders[number].children.map(\.number) == model.children[number], "\(comment), folder \(number)")
      }
      guard Int.random(in: 0..<4, using: &generator) == 0, isConsistent(model) else { continue }
      try store.saveChanges()
      model.areSaved = true
      let other = try Store(backend: backend, classes: [Folder.self, Tally.self])
      #expect(Set(try other.fetch(Folder.self).map(\.number)) == model.present, "\(comment)")
    }
    try store.close(discarding: true)
  }

  /// Tests whether no remaining folder refers to a deleted one, which would make a save fail.
  private func isConsistent(_ model: Model) -> Bool {
    model.present.allSatisfy { model.present.isSuperset(of: model.children[$0]) }
  }
}
