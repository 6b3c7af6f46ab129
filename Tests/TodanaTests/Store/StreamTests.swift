import TestSupport
import Testing
import Todana

@Suite struct StreamTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws {
    let writer = try Store(backend: backend, classes: [Node.self, Song.self])
    for index in 0..<500 {
      let node = Node()
      node.name = "\(index)"
      // Every third refers to itself.
      if index.isMultiple(of: 3) { node.next = node }
      try writer.insert(node)
    }
    try writer.saveChanges()
    try writer.close()
    store = try Store(backend: backend, classes: [Node.self, Song.self])
  }

  @Test func `a stream visits each object once and keeps none, not even those that refer to themselves`() throws {
    var names: Set<String> = []
    try store.forEach(Node.self) { node, _ in
      #expect(names.insert(node.name).inserted)
      #expect(store.statistics.classes["Node"]?.liveCount ?? 0 <= 2)
    }
    #expect(names.count == 500)
    #expect(store.statistics.classes.isEmpty)
  }

  @Test func `what the caller keeps stays as it is`() throws {
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

  @Test func `what the closure deletes is not visited, saved or not`() throws {
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
