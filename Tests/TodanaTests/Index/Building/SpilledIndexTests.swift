// Indexes whose keys exceed the builder's memory.
import Foundation
import TestSupport
import Testing
import Todana

private class AnyAlbum: StoredObject {
  final var title = ""
  final var tracks: [String] = []

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    tracks = try buffer.readArray { try $0.readString() }
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeArray(tracks) { $0.writeString($1) }
  }
}

private final class Plain: AnyAlbum {
  override class var storedName: String { "Album" }
}

private final class ByTrack: AnyAlbum {
  override class var storedName: String { "Album" }
  override class var indexes: [Index] {
    [Index(each: \ByTrack.tracks, name: "tracks"), Index(\ByTrack.title, name: "title")]
  }
}

private final class UniqueTrack: AnyAlbum {
  override class var storedName: String { "Album" }
  override class var indexes: [Index] { [Index(each: \UniqueTrack.tracks, unique: true, name: "tracks")] }
}

@Suite struct SpilledIndexTests {
  /// The number of albums, whose tracks have about 14 MB of keys.
  ///
  /// With `limitsMemory`, 4 or 8 MB of keys are in memory at a time.
  private static let albumCount = 700
  private static let trackCount = 100

  private static func configuration(limitsMemory: Bool) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.tuning.limitsMemory = limitsMemory
    configuration.indexBuilding = .manual
    return configuration
  }

  /// Returns the text of a track; the texts are not in the order of the tracks.
  private static func track(_ album: Int, _ number: Int) -> String {
    let number = (album * trackCount + number) * 7919 % (albumCount * trackCount)
    return String(format: "%08d", number) + String(repeating: "長", count: 40)
  }

  private func make(at path: String) throws {
    let store = try Store(.directory(path), classes: [Plain.self])
    for number in 0..<Self.albumCount {
      let album = Plain()
      album.title = "Album \(number % 10)"
      album.tracks = (0..<Self.trackCount).map { Self.track(number, $0) }
      try store.insert(album)
    }
    try store.saveChanges()
    try store.close()
  }

  @Test(arguments: [false, true])
  func `keys that exceed the memory limit make the same index`(limitsMemory: Bool) throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let path = directory.path("Store.todana")
    try make(at: path)
    let store = try Store(
      .directory(path), classes: [ByTrack.self], configuration: Self.configuration(limitsMemory: limitsMemory))
    var reports: [Int] = []
    #expect(try store.count(ByTrack.all) == Self.albumCount)
    try store.buildIndexes { progress in
      reports.append(progress.doneCount)
      // This album's entries change after its keys were sorted.
      if reports.count == 20, let first = try store.fetch(ByTrack.all.limit(1)).first {
        try store.update(first) { $0.tracks = ["changed"] }
        try store.saveChanges()
      }
    }
    #expect(reports == reports.sorted())
    #expect(reports.last == Self.albumCount)
    #expect(try store.indexes.map(\.isComplete) == [true, true])
    #expect(try store.indexes.map(\.entryCount) == [(Self.albumCount - 1) * Self.trackCount + 1, Self.albumCount])
    #expect(try store.verify().problems.isEmpty)
    #expect(try store.count(ByTrack.where { $0.tracks.contains("changed") }) == 1)
    for number in stride(from: 1, to: Self.albumCount, by: 97) {
      let query = ByTrack.where { $0.tracks.contains(Self.track(number, 50)) }
      #expect(try store.explain(query).indexNames == ["tracks"])
      #expect(try store.fetch(query).map(\.title) == ["Album \(number % 10)"])
    }
    try store.close()
  }

  @Test func `equal keys in different sorted runs violate uniqueness`() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let path = directory.path("Store.todana")
    try make(at: path)
    let configuration = Self.configuration(limitsMemory: true)
    var store = try Store(.directory(path), classes: [Plain.self], configuration: configuration)
    let last = Plain()
    last.tracks = ["only here", Self.track(0, 3)]
    try store.insert(last)
    try store.saveChanges()
    try store.close()

    store = try Store(.directory(path), classes: [UniqueTrack.self], configuration: configuration)
    let violation = #expect(throws: UniqueViolation.self) { try store.buildIndexes() }
    #expect(violation?.indexName == "tracks")
    #expect(try store.indexes.map(\.isComplete) == [false])
    // Building continues after the conflict was removed.
    let wrong = try store.fetch(UniqueTrack.where { $0.tracks.contains("only here") })
    try store.update(try #require(wrong.first)) { $0.tracks = ["only here"] }
    try store.saveChanges()
    try store.buildIndexes()
    #expect(try store.indexes.map(\.entryCount) == [Self.albumCount * Self.trackCount + 1])
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }
}
