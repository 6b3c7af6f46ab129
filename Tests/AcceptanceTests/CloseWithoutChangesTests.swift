import Foundation
import TestSupport
import Testing
import Todana

@Suite struct CloseWithoutChangesTests {
  @Test func `opening, reading and closing rewrites no file`() throws {
    let files = try StoreFiles()
    let before = try files.contents()
    #expect(before.count >= 3)
    for _ in 0..<2 {
      let store = try Store(.directory(files.path), classes: [Song.self, Node.self])
      #expect(try store.fetch(Song.self).count == StoreFiles.songCount)
      #expect(try store.count(Node.self) == StoreFiles.nodeCount)
      try store.forEach(Node.self) { _, _ in }
      #expect(try store.readNamedBuffer("buffer") { try $0.readString() } == "content")
      #expect(try store.namedBufferNames() == ["buffer"])
      try store.saveChanges()
      try store.close()
      #expect(Set(try files.contents().keys) == Set(before.keys))
      for (name, file) in try files.contents() { #expect(file == before[name], "\(name)") }
    }
  }

  @Test func `a change of one class leaves the other classes' files as they are`() throws {
    let files = try StoreFiles()
    let before = try files.contents()
    let store = try Store(.directory(files.path), classes: [Song.self, Node.self])
    try store.insert(Node())
    try store.saveChanges()
    try store.close()
    let after = try files.contents()
    let songs = before.keys.filter { $0.contains("Song") }
    #expect(!songs.isEmpty)
    for name in songs { #expect(after[name] == before[name], "\(name)") }
    #expect(try after[files.url("Node").lastPathComponent] != before[files.url("Node").lastPathComponent])
  }
}
