// A random walk over a store, compared with plain dictionaries after every step.
import TestSupport
import Testing
import Todana

@Suite struct StoreModelTests {
  @Test(arguments: [UInt64](1...16), [false, true])
  func `random operations agree with two dictionaries`(seed: UInt64, isEncrypted: Bool) throws {
    var walk = try Walk(seed: seed, keyRing: isEncrypted ? EveryBackend.keyRing() : nil)
    for step in 0..<250 {
      try walk.step()
      #expect(try walk.agrees(), "seed \(seed), step \(step): \(walk.log.suffix(8))")
    }
    try walk.store.close(discarding: true)
  }

  private typealias Content = [ObjectID<Song>: String]

  private struct Walk {
    let backend: FaultyBackend
    var store: Store
    var generator: SeededGenerator
    /// The committed content, and the content that the store should show.
    var saved: Content = [:]
    var shown: Content = [:]
    var buffers: (saved: [String: UInt64], shown: [String: UInt64]) = ([:], [:])
    /// Objects that the program keeps.
    var held: [Song] = []
    var log: [String] = []
    var titleNumber = 0

    init(seed: UInt64, keyRing: KeyRing?) throws {
      backend = FaultyBackend(keyRing: keyRing)
      generator = SeededGenerator(seed: seed)
      store = try Walk.open(backend)
    }

    static func open(_ backend: FaultyBackend) throws -> Store {
      try Store(
        backend: backend, classes: [Song.self], configuration: StoreConfiguration(detectsUnannouncedChanges: true))
    }

    mutating func step() throws {
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<22: try insert()
      case 22..<40: try update()
      case 40..<52: try delete()
      case 52..<62: try save()
      case 62..<66: try failSave()
      case 66..<70: try failFlush()
      case 70..<75: discard()
      case 75..<80: hold()
      case 80..<84: try reopenStore()
      case 84..<90: try writeBuffer()
      case 90..<93: try removeBuffer()
      case 93..<97: try meddle()
      default: try turnIntoFaults()
      }
    }

    /// Compares all reads of the store with the model.
    mutating func agrees() throws -> Bool {
      let all = try store.fetch(Song.self)
      guard all.map(\.title) == shown.sorted(by: { $0.key < $1.key }).map(\.value) else { return false }
      guard try store.count(Song.self) == shown.count else { return false }
      guard try store.count(Song.self, includingPending: false) == saved.count else { return false }
      var streamed: Content = [:]
      try store.forEach(Song.self) { song, _ in if let id = song.id { streamed[id] = song.title } }
      guard streamed == shown else { return false }
      let ids = Set(saved.keys).union(shown.keys).sorted()
      guard try store.fetch(ids).map({ $0?.title }) == ids.map({ shown[$0] }) else { return false }
      for id in ids.prefix(5) { guard try store.fetch(id)?.title == shown[id] else { return false } }
      guard store.hasUnsavedChanges || (shown == saved && buffers.shown == buffers.saved) else { return false }
      guard try store.namedBufferNames() == buffers.shown.keys.sorted() else { return false }
      for (name, value) in buffers.shown {
        let read = try store.readNamedBuffer(name) { try $0.readUInt64() }
        guard read == value else { return false }
      }
      let other = try Walk.open(backend)
      return try other.fetch(Song.self).map(\.title) == saved.sorted(by: { $0.key < $1.key }).map(\.value)
    }

    private mutating func newTitle() -> String {
      titleNumber += 1
      return "title \(titleNumber) " + String(repeating: "x", count: Int.random(in: 0..<40, using: &generator))
    }

    private mutating func insert() throws {
      log.append("insert")
      let song = Song(newTitle())
      shown[try store.insert(song)] = song.title
      if Bool.random(using: &generator) { held.append(song) }
    }

    private mutating func anyShown() -> ObjectID<Song>? { shown.keys.sorted().randomElement(using: &generator) }

    private mutating func update() throws {
      guard let id = anyShown(), let song = try store.fetch(id) else { return }
      log.append("update \(id)")
      let title = newTitle()
      if Int.random(in: 0..<4, using: &generator) == 0 {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
          try store.update(song) { song in
            song.title = title
            throw Refusal()
          }
        }
      } else {
        try store.update(song) { $0.title = title }
        shown[id] = title
      }
    }

    private mutating func delete() throws {
      guard let id = anyShown(), let song = try store.fetch(id) else { return }
      log.append("delete \(id)")
      try store.delete(song)
      shown[id] = nil
      // Sometimes inserts the object again. One that was never saved would be a new object.
      if song.id != nil, Int.random(in: 0..<4, using: &generator) == 0 {
        try store.insert(song)
        shown[id] = song.title
      }
    }

    private mutating func save() throws {
      log.append("save")
      try store.saveChanges()
      saved = shown
      buffers.saved = buffers.shown
      #expect(!store.hasUnsavedChanges)
    }

    private mutating func failSave() throws {
      guard store.hasUnsavedChanges else { return }
      log.append("failed save")
      backend.failCommit(with: BackendError(.noSpace, "The disk is full."))
      #expect(throws: StoreError.self) { try store.saveChanges() }
    }

    private mutating func failFlush() throws {
      guard store.hasUnsavedChanges else { return }
      let isApplied = Bool.random(using: &generator)
      log.append("failed flush, \(isApplied ? "applied" : "not applied")")
      backend.failCommit(with: BackendError(.mustReopen, "The flush failed."), isApplied: isApplied)
      #expect(throws: StoreError.self) { try store.saveChanges() }
      if Bool.random(using: &generator) { try store.reopen() } else { try backend.reopen() }
      if isApplied {
        saved = shown
        buffers.saved = buffers.shown
      }
    }

    private mutating func discard() {
      log.append("discard")
      store.discardChanges()
      shown = saved
      buffers.shown = buffers.saved
    }

    private mutating func hold() {
      log.append("hold")
      held = (try? store.fetch(Song.self).filter { _ in Bool.random(using: &generator) }) ?? []
    }

    private mutating func reopenStore() throws {
      log.append("close and open")
      let attached = held.filter { $0.store != nil }
      if store.hasUnsavedChanges {
        #expect(#expect(throws: StoreError.self) { try store.close() }?.code == .unsavedChanges)
      }
      try store.close(discarding: true)
      #expect(attached.filter { $0.isFault && $0.title == "" }.count == attached.count)
      store = try Walk.open(backend)
      shown = saved
      buffers.shown = buffers.saved
      held = []
    }

    private mutating func writeBuffer() throws {
      let name = "buffer \(Int.random(in: 0..<4, using: &generator))"
      let value = generator.next()
      let immediately = Int.random(in: 0..<3, using: &generator) == 0
      log.append("write \(name)\(immediately ? " at once" : "")")
      try store.writeNamedBuffer(name, immediately: immediately) { $0.writeUInt64(value) }
      buffers.shown[name] = value
      if immediately { buffers.saved[name] = value }
    }

    private mutating func removeBuffer() throws {
      let name = "buffer \(Int.random(in: 0..<4, using: &generator))"
      log.append("remove \(name)")
      let existed = try store.removeNamedBuffer(name)
      #expect(existed == (buffers.shown[name] != nil))
      buffers.shown[name] = nil
    }

    /// Changes or deletes an object through another store; then keeps one of the two versions.
    private mutating func meddle() throws {
      let other = try Walk.open(backend)
      guard let id = saved.keys.sorted().randomElement(using: &generator) else { return }
      guard let song = try other.fetch(id) else { return }
      let isDelete = Bool.random(using: &generator)
      let isMine = Bool.random(using: &generator)
      log.append("meddle with \(id): \(isDelete ? "delete" : "update"), keeping \(isMine ? "mine" : "theirs")")
      let title = newTitle()
      if isDelete { try other.delete(song) } else { try other.update(song) { $0.title = title } }
      try other.saveChanges()
      let isConflict = shown[id] != saved[id] || isPending(id)
      saved[id] = isDelete ? nil : title
      if !isConflict || !isMine { shown[id] = saved[id] }
      try store.refresh(keeping: isMine ? .mine : .theirs)
    }

    /// Tests whether an object is pending, even if its title is the saved one.
    private func isPending(_ id: ObjectID<Song>) -> Bool {
      (try? store.fault(id))?.description.contains("(updated)") ?? false
    }

    private mutating func turnIntoFaults() throws {
      log.append("turn into faults")
      for song in held where song.store != nil && !song.description.contains("ed)") { try store.turnIntoFault(song) }
    }
  }
}
