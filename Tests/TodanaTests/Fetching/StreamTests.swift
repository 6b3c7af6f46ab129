import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) final class StreamTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws {
    let writer = try Store(backend: backend, classes: [Node.self, Song.self])
    for index in 0..<500 {
      let node = Node()
      node.name = "\(index)"
      if index.isMultiple(of: 3) { node.next = node }
      try writer.insert(node)
    }
    try writer.saveChanges()
    try writer.close()
    store = try Store(backend: backend, classes: [Node.self, Song.self])
  }

  /// Closes the store and discards its changes.
  ///
  /// This releases the nodes that refer to themselves.
  deinit { #expect(throws: Never.self) { try store.close(discarding: true) } }

  @Test func `a stream visits each object once and keeps none, not even those that refer to themselves`() throws {
    var names: Set<String> = []
    try store.forEach(Node.self) { node, _ in
      #expect(names.insert(node.name).inserted)
      #expect(store.statistics.classes["Node"]?.liveCount ?? 0 <= 2)
    }
    #expect(names.count == 500)
    #expect(store.statistics.classes.isEmpty)
  }

  @Test func `objects that the caller keeps stay loaded`() throws {
    var kept: [Node] = []
    try store.forEach(Node.self) { node, _ in if node.name.hasSuffix("7") { kept.append(node) } }
    #expect(kept.count == 50)
    #expect(kept.filter { !$0.isFault && $0.name.hasSuffix("7") }.count == 50)
    #expect(kept.filter { $0.next != nil }.count == kept.filter { $0.next === $0 }.count)
  }

  @Test func `a stream sees one commit while the closure changes and saves`() throws {
    var visited = 0
    try store.forEach(Node.self) { node, _ in
      visited += 1
      let number = try #require(Int(node.name))
      if number.isMultiple(of: 5) {
        try store.delete(node)
      } else {
        try store.update(node) { $0.name = "\(number + 10_000)" }
      }
      try store.insert(Node())
      if visited.isMultiple(of: 50) { try store.saveChanges() }
    }
    #expect(visited == 500)
    try store.saveChanges()
    #expect(try store.count(Node.self) == 900)
  }

  @Test func `objects that the closure deletes are not visited, whether saved or not`() throws {
    var victims = try store.fetch(Node.self)
    var visited = 0
    try store.forEach(Node.self) { node, _ in
      visited += 1
      guard visited <= 2 else { return }
      for victim in victims where victim !== node && !victim.name.hasPrefix("1") { try store.delete(victim) }
      victims = []
      if visited == 2 { try store.saveChanges() }
    }
    #expect(visited < 200)
    #expect(try store.count(Node.self) >= visited)
  }

  // Guards against missing objects that were pending at the start and saved by the closure.
  @Test func `objects pending at the start are visited once, also if the closure saves them`() throws {
    for index in 0..<3 {
      let node = Node()
      node.name = "pending \(index)"
      try store.insert(node)
    }
    let forgotten = Node()
    try store.insert(forgotten)
    var names: [String] = []
    try store.forEach(Node.self) { node, _ in
      names.append(node.name)
      if names.count == 1 {
        try store.saveChanges()
        try store.delete(forgotten)
      }
    }
    #expect(names.count == 503)
    #expect(Set(names).count == 503)
    #expect(names.suffix(3).allSatisfy { $0.hasPrefix("pending") })
  }

  // Guards against a refresh that mistook objects loaded later for up to date, because the newest commit was known.
  @Test func `objects that are visited after a refresh within a stream are known to be older`() throws {
    let other = try Store(backend: backend, classes: [Node.self, Song.self])
    var kept: [Node] = []
    try store.forEach(Node.self) { node, _ in
      kept.append(node)
      guard kept.count == 1 else { return }
      for changed in try other.fetch(Node.self) { try other.update(changed) { $0.name = "changed" } }
      try other.saveChanges()
      try store.refresh()
    }
    #expect(kept.count == 500)
    #expect(kept.filter { $0.name == "changed" }.isEmpty)
    try store.refresh()
    try store.load(kept)
    #expect(kept.allSatisfy { $0.name == "changed" })
    try other.close()
  }

  @Test func `stopping and throwing end the loop`() throws {
    struct Refusal: Error {}
    var visited = 0
    try store.forEach(Node.self) { _, stop in
      visited += 1
      stop = visited == 7
    }
    #expect(visited == 7)
    #expect(throws: Refusal.self) { try store.forEach(Node.self) { _, _ in throw Refusal() } }
  }
}
