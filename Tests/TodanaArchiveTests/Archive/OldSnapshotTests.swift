import Foundation
import Testing
import Todana

@testable import TodanaArchive

/// Tests of snapshots in older versions of the format.
@Suite struct OldSnapshotTests {
  /// A snapshot in version 1, which has no working directory and no label.
  private final class FirstSnapshot: StoredObject {
    var paths: [[UInt8]] = []

    override class var storedName: String { "Snapshot" }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeRawBytes([UInt8](repeating: 7, count: 16))
      buffer.writeInt64(1_700_000_000_123)
      buffer.writeString("box")
      buffer.writeVarUInt(UInt64(paths.count))
      for path in paths { buffer.writeBytes(path) }
      for _ in 0..<6 { buffer.writeVarUInt(0) }
      buffer.writeString("todana")
      buffer.writeBytes([])
    }
  }

  @Test func `a snapshot of version 1 has its paths as they were specified`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from")
    try scratch.archive.close()
    let store = try Store(
      .directory(scratch.path), classes: [FirstSnapshot.self], configuration: ScratchArchive.configuration)
    let old = FirstSnapshot()
    old.paths = [scratch.directory.bytes("from")]
    try store.insert(old)
    try store.saveChanges()
    try store.close()

    let archive = try Archive(at: scratch.path, configuration: ScratchArchive.configuration)
    let snapshot = try #require(try archive.snapshots().first)
    #expect(snapshot.paths == old.paths && snapshot.host == "box")
    #expect(snapshot.absolutePaths == [] && snapshot.comparedPaths == old.paths)
    #expect(snapshot.label == nil && snapshot.top == nil)
    #expect(snapshot.readingStart.seconds == 1_700_000_000)
    // The snapshot is found as the parent for the same paths. A change stores it in the new version.
    var options = AddOptions()
    options.host = "box"
    let new = NewSnapshot(options, host: "box", paths: old.paths, workingDirectory: [0x2F])
    #expect(try archive.parent(of: new) == snapshot)
    try archive.change([snapshot]) { _, label in label = "l" }
    #expect(try archive.snapshots().map(\.label) == ["l"])
    #expect(try archive.snapshots().map(\.readingStart.seconds) == [1_700_000_000])
    try archive.close()
  }
}
