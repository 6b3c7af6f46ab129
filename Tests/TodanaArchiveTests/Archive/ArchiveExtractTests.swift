import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests of extraction while other programs or the file system interfere.
@Suite struct ArchiveExtractTests {
  let scratch: ScratchArchive

  init() throws { scratch = try ScratchArchive() }

  /// Simulates a file system that ignores case: the second file finds the first one under its name.
  @Test(arguments: [RestoreOptions.Overwriting.never, .older, .always, .metadata])
  func `an existing name in a new directory is a failure`(overwriting: RestoreOptions.Overwriting) throws {
    try scratch.directory.make("from")
    try scratch.directory.write("small", to: "from/name")
    try scratch.directory.link("from/zlink", to: "name")
    let added = try scratch.add("from")
    let restored = scratch.restored("from", in: "to")
    var options = ExtractOptions()
    options.restoring.overwriting = overwriting
    options.visit = { path, _ in
      guard String(decoding: path, as: UTF8.self).hasSuffix("/from") else { return }
      try Data("other".utf8).write(to: URL(filePath: restored + "/name"))
      try FileManager.default.createSymbolicLink(atPath: restored + "/zlink", withDestinationPath: "name")
    }
    let progress = try scratch.extract(added.snapshot, to: "to", options: options)
    #expect(progress.counts.files == 0 && progress.rightFiles == 0 && progress.counts.failures == 2)
    #expect(progress.failures.allSatisfy { $0.contains("may treat different names as equal") })
    #expect(try String(contentsOfFile: restored + "/name", encoding: .utf8) == "other")
  }

  /// The next run would mistake these files for its own unfinished files.
  @Test func `names reserved for unfinished files are refused`() throws {
    try scratch.directory.make("from")
    try scratch.directory.write("small", to: "from/name")
    let added = try scratch.add("from")
    let entry = try scratch.archive.entry(scratch.stored("from/name"), of: #require(added.snapshot))
    var hostile = entry
    for name in [".todana-extract-unfinished", ".todana-extract-0123456789abcdef-1"] {
      hostile.file.name = Array(name.utf8)
      let progress = try extract([hostile])
      #expect(progress.counts.files == 0 && progress.counts.failures == 1, "\(name)")
    }
    hostile.file.name = Array(".todana-extract-mine".utf8)
    #expect(try extract([hostile]).counts.files == 1)
  }

  /// A flag that the file system does not support must not prevent the others from being set.
  @Test func `each flag that the file system supports is set, and the others are reported`() throws {
    let path = scratch.directory.path("probe")
    try scratch.directory.write("", to: "probe")
    // No file system has flag T for regular files.
    let script = "chattr +d \"$0\" && ! chattr +T \"$0\" 2>/dev/null"
    guard (try? Command.run("sh", ["-c", script, path])) != nil else { return }
    try scratch.directory.make("from")
    try scratch.directory.write("small", to: "from/name")
    let added = try scratch.add("from")
    var entry = try scratch.archive.entry(scratch.stored("from/name"), of: #require(added.snapshot))
    entry.file.flags = [.noDump, .topOfTree]
    let progress = try extract([entry])
    #expect(progress.counts.files == 1 && progress.warnings.count == 1)
    #expect(progress.warnings.first?.contains("(top of directory tree)") == true, "\(progress.warnings)")
    #expect(try TargetDirectory.open(scratch.directory.bytes("to")).existing(entry.file.name)?.flags == .noDump)
  }

  private func extract(_ entries: [ArchiveEntry]) throws -> ExtractProgress {
    let content = scratch.archive.content
    let writer = try TreeWriter(content, scratch.archive.key, scratch.archive.compression)
    for entry in entries { try writer.append(entry) }
    let pages = try writer.finish()
    var extraction = try Extraction(pages, of: content, to: scratch.directory.bytes("to"), ExtractOptions()) { _ in }
    return try extraction.run()
  }

  @Test(arguments: [-100, 0, 1, 20, 40, 60, 90, 1000])
  func `directories take fewer descriptors than are free`(free: Int) {
    for threadCount in [1, 2, 8] {
      let limits = DirectoryLimits(free: free, threadCount: threadCount)
      let used = limits.trail + limits.batch * (limits.batchCount + threadCount + 1)
      #expect(limits.trail >= 1 && limits.batch >= 1 && limits.batchCount >= 1)
      // The threads themselves use 4 descriptors each. The smallest limits take `threadCount + 3`, even if fewer are
      // left.
      #expect(used <= max(free - 4 * threadCount, threadCount + 3))
      #expect(free < 1000 || limits == .full)
    }
  }

  @Test func `directory pages keep supported flags and refuse others`() throws {
    func decoded(_ flags: FileFlags) throws -> FileFlags? {
      var encoder = TreePageEncoder()
      var file = FileEntry(.regular, "name")
      file.flags = flags
      try encoder.append(ArchiveEntry(file: file, content: .none))
      var decoder = try TreePageDecoder(try encoder.finish(), pageRow: 9, after: [])
      return try decoder.next()?.file.flags
    }
    for flags in [[], .immutable, .kept] as [FileFlags] { #expect(try decoded(flags) == flags) }
    #expect(throws: ArchiveError.self) { try decoded(FileFlags(rawValue: 0x8_0000)) }
  }

  @Test func `flags have names in tar, and letters for lists`() {
    #expect(
      FileFlags([.immutable, .noDump]).letters == "id" && "\(FileFlags([.noDump, .immutable]))" == "immutable, no dump")
    for bit in 0..<32 where FileFlags.kept.contains(FileFlags(rawValue: 1 << UInt32(bit))) {
      let flag = FileFlags(rawValue: 1 << UInt32(bit))
      #expect(flag == .notCompressed ? flag.tarText == nil : flag.tarText.map { FileFlags(tarText: $0) } == flag)
    }
    #expect(FileFlags(tarText: Array("arch,schg,,nodump".utf8)) == [.immutable, .noDump])
  }
}
