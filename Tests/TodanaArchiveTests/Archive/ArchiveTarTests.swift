import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

/// Tests of snapshots that are exported as tar streams and read by GNU tar.
@Suite struct ArchiveTarTests {
  private func export(
    _ scratch: ScratchArchive, _ snapshot: Snapshot?, _ paths: [[UInt8]] = [], to name: String
  ) throws -> [String] {
    var failures: [String] = []
    let path = scratch.directory.path(name)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    _ = try scratch.archive.exportTar(try #require(snapshot), paths: paths, to: file.fileDescriptor) {
      failures.append($0)
    }
    try file.close()
    return failures
  }

  @Test func `GNU tar restores an exported snapshot`() throws {
    let scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    try scratch.directory.make("from/sub/empty")
    try scratch.directory.write(String(repeating: "long ", count: 50_000), to: "from/sub/large")
    try scratch.directory.write("small", to: "from/small")
    try scratch.directory.link("from/link", to: "sub/large")
    try System.makeHardLink(scratch.directory.path("from/sub/hard"), to: scratch.directory.path("from/small"))
    try System.makeSparseFile(scratch.directory.path("from/sparse"), byteCount: 10 << 20, data: [5 << 20: [1, 2, 3]])
    try System.makeSparseFile(scratch.directory.path("from/hole"), byteCount: 1 << 20, data: [:])
    let snapshot = try scratch.add("from").snapshot
    #expect(try export(scratch, snapshot, to: "all.tar") == [])
    try scratch.directory.make("to")
    try Command.run("tar", ["-xf", scratch.directory.path("all.tar"), "-C", scratch.directory.path("to")])
    try Command.run(
      "diff", ["-r", "--no-dereference", scratch.directory.path("from"), scratch.restored("from", in: "to")])
    let names = ["small", "sub/hard"].map { scratch.restored("from/\($0)", in: "to") }
    let inodes = try names.map { try FileManager.default.attributesOfItem(atPath: $0)[.systemFileNumber] as? Int }
    #expect(inodes[0] == inodes[1] && inodes[0] != nil)
    let size = try FileManager.default.attributesOfItem(atPath: scratch.directory.path("all.tar"))[.size] as? Int
    #expect(size ?? .max < 400_000)
  }

  @Test func `only requested paths are exported, and missing ones are reported`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from/sub")
    try scratch.directory.write("a", to: "from/sub/a")
    try scratch.directory.write("b", to: "from/b")
    let snapshot = try scratch.add("from").snapshot
    let failures = try export(scratch, snapshot, [scratch.stored("from/sub"), Array("nothing".utf8)], to: "part.tar")
    #expect(failures == ["The snapshot does not contain “nothing”."])
    let listed = try Command.run("tar", ["-tf", scratch.directory.path("part.tar")])
    let text = String(decoding: listed, as: UTF8.self)
    #expect(text.contains("from/sub/a") && !text.contains("from/b"))
  }

  @Test func `a stream that cannot be written is an error`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from")
    try scratch.directory.write(String(repeating: "x", count: 60_000), to: "from/a")
    let snapshot = try #require(try scratch.add("from").snapshot)
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    #expect {
      try scratch.archive.exportTar(snapshot, to: full.fileDescriptor, onFailure: { _ in })
    } throws: { ($0 as? ArchiveError)?.code == .tar }
  }
}
