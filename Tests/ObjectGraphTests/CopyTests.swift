import TestSupport
import Testing
import Todana

@Suite(.overEveryBackend) final class CopyTests {
  private let stores: Stores
  private let store: Store

  init() throws {
    stores = try Stores(classes: libraryClasses + [Node.self])
    store = try stores.open()
  }

  deinit { try? store.close(discarding: true) }

  @Test func `a copy refers to the same objects, or to copies`() throws {
    let genre = Genre("Jazz")
    let tracks = (1...3).map { Track("Track \($0)") }
    for track in tracks { track.genre = genre }
    let record = Record("Blue", tracks + [tracks[0]])
    for object in [genre] + tracks + [record] as [StoredObject] { try store.insert(object) }
    try store.saveChanges()
    let second = try stores.open()
    defer { try? second.close(discarding: true) }
    let original = try #require(try second.fetch(Record.self).first)
    let shallow = try second.copy(original)
    #expect(shallow.tracks == original.tracks && shallow.title == "Blue" && shallow !== original)
    let deep = try second.copy(original, including: [\Record.tracks])
    try second.load(original.tracks)
    #expect(deep.tracks.map(\.title) == original.tracks.map(\.title))
    #expect(Set(deep.tracks).isDisjoint(with: original.tracks) && deep.tracks[0] === deep.tracks[3])
    #expect(deep.tracks.allSatisfy { $0.genre === original.tracks[0].genre })
    try second.saveChanges()
    #expect(try second.count(Track.self) == 6 && second.count(Record.self) == 3)
    #expect(try second.verify().isSound)
  }

  @Test func `cycles, trees and references to the original are copied`() throws {
    let (root, child, grandchild) = (Node(), Node(), Node())
    (root.value, child.value, grandchild.value) = (1, 2, 3)
    root.children = [child]
    child.children = [grandchild]
    child.boss = root
    grandchild.friend = root
    root.friend = root
    for node in [root, child, grandchild] { try store.insert(node) }
    let copy = try store.copy(root, including: [\Node.children, \Node.friend])
    let copiedChild = try #require(copy.children.first)
    let copiedGrandchild = try #require(copiedChild.children.first)
    #expect([copy, copiedChild, copiedGrandchild].map(\.value) == [1, 2, 3])
    #expect(copy.friend === copy && copiedChild.boss === copy && copiedGrandchild.friend === copy)
    #expect(try store.count(Node.self) == 6 && copy !== root)
    try store.saveChanges()
  }

  @Test func `a property without references, or an object of another store, is refused`() throws {
    let track = Track("So What")
    #expect(throws: StoreError.self) { try store.copy(track) }
    try store.insert(track)
    let error = #expect(throws: StoreError.self) { try store.copy(track, including: [\Track.title]) }
    #expect(error?.code == .invalidRelationship)
    #expect(try store.count(Track.self) == 1)
  }
}
