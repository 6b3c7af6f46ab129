import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

/// Tests of the decision to read a file again: by time, inode and length, and always if its times are not reliable.
@Suite struct ArchiveChangeDetectionTests {
  private func detection(start: FileTime, _ configure: (inout AddOptions) -> Void = { _ in }) throws -> ChangeDetection
  {
    var options = AddOptions()
    configure(&options)
    let scratch = try ScratchArchive()
    var new = NewSnapshot(options, host: "", paths: [])
    new.readingStart = start
    let snapshot = try Snapshot(try scratch.archive.insert(new, pages: [], counts: SnapshotCounts()))
    return ChangeDetection(options, earlier: snapshot)
  }

  @Test(arguments: [
    // The first time is within a tick of the clock, the second one before it.
    (FileTime(seconds: 99, nanoseconds: 981_000_001), false), (FileTime(seconds: 99, nanoseconds: 979_000_001), true),
    (FileTime(seconds: 100, nanoseconds: 1), false), (FileTime(seconds: 200, nanoseconds: 1), false),
    // These times are whole seconds, as FAT stores them.
    (FileTime(seconds: 98), false), (FileTime(seconds: 97), true), (FileTime(seconds: .max), false),
  ])
  func `times of files changed just before they were read are not trusted`(_ time: FileTime, isTrusted: Bool) throws {
    let detection = try detection(start: FileTime(seconds: 100))
    let old = FileEntry(.regular, "a", time: time, byteCount: 7)
    #expect(detection.isUnchanged(old, since: old) == isTrusted)
    // One unreliable time is enough to read the file again.
    var other = FileEntry(.regular, "a", time: FileTime(seconds: 1), byteCount: 7)
    other.changeTime = time
    #expect(detection.isUnchanged(other, since: other) == isTrusted)
  }

  @Test func `inodes and change times count unless they are ignored`() throws {
    let old = FileEntry(.regular, "a", time: FileTime(seconds: 5), byteCount: 7)
    var (moved, touched, longer, newer) = (old, old, old, old)
    moved.identity.inode = 9
    touched.changeTime = FileTime(seconds: 6)
    longer.byteCount = 8
    newer.modificationTime = FileTime(seconds: 6)
    let all = try detection(start: FileTime(seconds: 100))
    #expect(all.isUnchanged(old, since: old))
    for entry in [moved, touched, longer, newer] { #expect(!all.isUnchanged(entry, since: old)) }
    let some = try detection(start: FileTime(seconds: 100)) {
      $0.ignoresInode = true
      $0.ignoresChangeTime = true
    }
    #expect(some.isUnchanged(moved, since: old) && some.isUnchanged(touched, since: old))
    #expect(!some.isUnchanged(longer, since: old) && !some.isUnchanged(newer, since: old))
  }

  @Test func `files that are read again without a difference count as unchanged`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from")
    try scratch.directory.write("small", to: "from/small")
    try scratch.directory.write("", to: "from/empty")
    try scratch.directory.link("from/link", to: "small")
    try Data(repeating: 7, count: 300_000).write(to: URL(filePath: scratch.directory.path("from/large")))
    try scratch.add("from")
    var options = AddOptions()
    options.rescans = true
    var progress = try scratch.add("from", options: options).progress
    #expect(progress.bytesRead == 300_005 && progress.unchangedFiles == 4 && progress.changedFiles == 0)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: scratch.directory.path("from/small"))
    try Data(repeating: 8, count: 300_000).write(to: URL(filePath: scratch.directory.path("from/large")))
    progress = try scratch.add("from", options: options).progress
    #expect(progress.unchangedFiles == 2 && progress.changedFiles == 2 && progress.newFiles == 0)
  }

  @Test func `files with new inodes are not read if inodes are ignored`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from")
    try scratch.directory.write("content", to: "from/a")
    try scratch.wait()
    try scratch.add("from")
    let path = scratch.directory.path("from/a")
    try Command.run("sh", ["-c", "cp -p '\(path)' '\(path).new' && mv '\(path).new' '\(path)'"])
    var options = AddOptions()
    options.ignoresInode = true
    options.ignoresChangeTime = true
    let progress = try scratch.add("from", options: options).progress
    #expect(progress.bytesRead == 0 && progress.unchangedFiles == 1)
  }

  @Test func `a parent snapshot gives the expected counts for the progress`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from")
    for number in 0..<10 { try scratch.directory.write("content", to: "from/\(number)") }
    #expect(try scratch.add("from").progress.share == nil)
    let progress = try scratch.add("from").progress
    #expect(progress.expected?.files == 10 && progress.share == 0.99)
    var half = progress
    half.counts.files = 5
    half.counts.directories = 0
    half.counts.bytes = 35
    #expect(try #require(half.share) < 0.5)
  }
}

extension ScratchArchive {
  /// Waits until files just written are older than one tick of the clock.
  func wait() throws { usleep(50_000) }
}
