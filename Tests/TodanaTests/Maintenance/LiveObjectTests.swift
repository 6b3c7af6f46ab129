// The objects that a store has in memory.
import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct LiveObjectTests {
  let backend = FaultyBackend()

  @Test func `every live object is visited once, faults and pending ones too`() throws {
    struct Refusal: Error {}
    let store = try Store(backend: backend, classes: [Song.self, Node.self])
    let songs = ["a", "b"].map { Song($0) }
    for song in songs { try store.insert(song) }
    try store.saveChanges()
    let node = Node()
    try store.insert(node)
    try store.turnIntoFault(songs[1])
    try store.delete(songs[0])
    var visited: [StoredObject] = []
    store.forEachLiveObject { visited.append($0) }
    #expect(visited.map(ObjectIdentifier.init) == (songs + [node]).map(ObjectIdentifier.init))
    #expect(throws: Refusal.self) { try store.forEachLiveObject { _ throws(Refusal) in throw Refusal() } }
    // The closure may change the store.
    try store.forEachLiveObject { if let node = $0 as? Node { try store.update(node) { $0.name = "seen" } } }
    #expect(node.name == "seen")
  }

  @Test func `clean objects release each other, and load again`() throws {
    let store = try Store(backend: backend, classes: [Node.self])
    var nodes: [Node] = (0..<3).map { index in
      let node = Node()
      node.name = "\(index)"
      return node
    }
    (nodes[0].next, nodes[1].next) = (nodes[1], nodes[0])
    for node in nodes { try store.insert(node) }
    try store.saveChanges()
    let kept = nodes[2]
    try store.update(kept) { $0.name = "pending" }
    try store.turnCleanObjectsIntoFaults()
    #expect(nodes[0].isFault && nodes[0].next == nil && nodes[0].name.isEmpty)
    #expect(!kept.isFault && kept.name == "pending")
    try store.load(nodes)
    #expect(nodes[0].name == "0" && nodes[0].next === nodes[1] && nodes[1].next === nodes[0])
    // Two of the objects are kept only by the cycle.
    nodes = []
    #expect(store.statistics.classes["Node"]?.liveCount == 3)
    try store.turnCleanObjectsIntoFaults()
    #expect(store.statistics.classes["Node"]?.liveCount == 1)
    try store.close(discarding: true)
    let error = #expect(throws: StoreError.self) { try store.turnCleanObjectsIntoFaults() }
    #expect(error?.code == .closed)
  }
}
