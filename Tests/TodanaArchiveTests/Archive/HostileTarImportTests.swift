import Foundation
import Testing
import Todana

@testable import TodanaArchive

/// Tests of hostile or incomplete tars: the valid entries are imported, or no snapshot is made.
@Suite struct HostileTarImportTests {
  let scratch: ScratchArchive

  init() throws { scratch = try ScratchArchive() }

  private func link(_ path: String, to target: String) -> TarEntry {
    TarEntry(path: Array(path.utf8), entry: FileEntry(.regular, path), hardLinkTarget: Array(target.utf8))
  }

  @Test func `paths that lead out are left out, and leading slashes are removed`() throws {
    var tar = HostileTar()
    let names = [
      "/absolute/file", "../out", "a/../../b", "..", "./x//y/./z", "../", "/", "a/..",
      String(repeating: "n", count: 100),
    ]
    for name in names {
      // A name that ends in a slash is a directory, without data.
      let data: [UInt8] = name.hasSuffix("/") ? [] : [1, 2, 3]
      tar.add("0", name: name, size: "\(data.count)", data: data)
    }
    // Add a name that is too long, a name of 255 bytes, and a name with a NUL.
    tar.add(record: "path", [UInt8](repeating: 0x61, count: 256))
    tar.add(record: "path", [UInt8](repeating: 0x62, count: 255))
    tar.add(record: "path", [0x63, 0, 0x64])
    tar.end()
    let imported = try scratch.importTar(bytes: tar.bytes)
    let snapshot = try #require(imported.snapshot)
    let paths = try scratch.comparable(snapshot).map { printable($0.path) }
    #expect(
      paths == [
        "absolute", "absolute/file", String(repeating: "b", count: 255), String(repeating: "n", count: 100), "x", "x/y",
        "x/y/z",
      ])
    let failures = imported.progress.failures
    #expect(failures.count == 7 && snapshot.counts.failures == 7)
    for path in ["../out", "a/../../b", "..", "a/.."] {
      #expect(failures.contains("“\(path)” was left out: its path contains “..”"))
    }
    #expect(failures.contains { $0.hasSuffix("or a name of more than 255 bytes") })
    try scratch.extract(snapshot, to: "to")
    #expect(try scratch.directory.names(".").contains("out") == false)
  }

  @Test func `files below other files, or in the place of directories, are left out`() throws {
    let bytes = try tarBytes { writer in
      try writer.add("file", FileEntry(.regular, "file"), data: [1])
      try writer.add("file/in/it", FileEntry(.regular, "it"), data: [2])
      try writer.add("link", .link("link", to: "directory"))
      try writer.add("link/through", FileEntry(.regular, "through"), data: [3])
      try writer.add("directory/a", FileEntry(.regular, "a"), data: [4])
      try writer.add("directory", FileEntry(.regular, "directory"), data: [5])
      try writer.add("empty", FileEntry(.directory, "empty"))
      try writer.add("empty", FileEntry(.regular, "empty"), data: [6])
      try writer.add("file", FileEntry(.directory, "file"))
      try writer.add("file/now", FileEntry(.regular, "now"), data: [7])
    }
    let imported = try scratch.importTar(bytes: bytes)
    let snapshot = try #require(imported.snapshot)
    #expect(
      try scratch.comparable(snapshot).map { "\(printable($0.path)) \($0.bytes)" } == [
        "directory []", "directory/a [4]", "empty [6]", "file []", "file/now [7]", "link []",
      ])
    #expect(
      imported.progress.failures == [
        "“file/in/it” was left out: “file” is not a directory",
        "“link/through” was left out: “link” is not a directory",
        "“directory” was left out: a directory that is not empty is in its place",
      ])
  }

  @Test func `hard links lead only to files that came before`() throws {
    let bytes = try tarBytes { writer in
      try writer.add("d/file", FileEntry(.regular, "file"), data: [1])
      try writer.add("link", .link("link", to: "d/file"))
      try writer.add(link("good", to: "./d//file"))
      try writer.add(link("again", to: "good"))
      try writer.add(link("d/file", to: "good"))
      try writer.add(link("d/file", to: "d/file"))
      try writer.add(link("of-link", to: "link"))
      try writer.add(link("early", to: "late"))
      try writer.add("late", FileEntry(.regular, "late"), data: [2])
      try writer.add(link("outside", to: "../../etc/passwd"))
      try writer.add(link("system", to: "etc/passwd"))
      try writer.add(link("of-directory", to: "d"))
      try writer.add(link("of-top", to: "."))
      try writer.add(link("d", to: "late"))
      // "again" was a link to the file and is replaced by a file of its own.
      try writer.add("again", FileEntry(.regular, "again"), data: [3])
    }
    let imported = try scratch.importTar(bytes: bytes)
    let snapshot = try #require(imported.snapshot)
    #expect(
      try scratch.comparable(snapshot).map { "\(printable($0.path)) \($0.bytes) \($0.file.linkCount)" } == [
        "again [3] 1", "d [] 1", "d/file [1] 2", "good [1] 2", "late [2] 1", "link [] 2", "of-link [] 2",
      ])
    #expect(try scratch.links(snapshot) == ["d/file d/file 2", "good d/file 2", "link link 2", "of-link link 2"])
    #expect(imported.progress.failures.count == 6)
    #expect(
      imported.progress.failures.contains(
        "“outside” was left out: it is a hard link to “../../etc/passwd”, which cannot be in a snapshot"))
    try scratch.extract(snapshot, to: "to")
    #expect(try scratch.directory.names("to") == ["again", "d", "good", "late", "link", "of-link"])
  }

  @Test func `values that no file can have are left out`() throws {
    var tar = HostileTar()
    tar.add(record: "SCHILY.xattr.user." + String(repeating: "n", count: 300), [1])
    tar.add(record: "SCHILY.xattr.user.long", [UInt8](repeating: 1, count: 70_000))
    tar.add(record: "uname", [0x61, 0, 0x62])
    tar.add("2", name: "no-target")
    tar.add(record: "mtime", Array("9223372036854775807.999999999999".utf8))
    tar.end()
    let imported = try scratch.importTar(bytes: tar.bytes)
    let snapshot = try #require(imported.snapshot)
    let found = try scratch.comparable(snapshot)
    #expect(found.map { printable($0.path) } == ["name"])
    #expect(found.allSatisfy { $0.file.attributes.isEmpty && $0.file.owner.userName?.contains(0) != true })
    #expect(imported.progress.failures.count == 3)
    try scratch.exportTar(snapshot, to: "again.tar")
    #expect(try scratch.archive.verify().isSound)
  }

  @Test func `lengths larger than any disk do no harm`() throws {
    let bytes = try tarBytes { writer in
      for name in ["a", "b"] {
        let entry = FileEntry(.regular, name, byteCount: .max - 4096)
        try writer.add(TarEntry(path: Array(name.utf8), entry: entry, dataRanges: []))
      }
    }
    let snapshot = try #require(try scratch.importTar(bytes: bytes).snapshot)
    #expect(snapshot.counts.bytes == .max && snapshot.counts.files == 2)
    let again = try #require(try scratch.importTar(bytes: bytes).snapshot)
    #expect(try scratch.archive.stats().byteCount == .max)
    var options = ExtractOptions()
    options.isDryRun = true
    #expect(try scratch.extract(again, to: "to", options: options).counts.bytes == .max)
    for size in ["-1", "77777777777", "\u{80}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}"] {
      var tar = HostileTar()
      tar.add("0", name: "sized", size: size)
      tar.end()
      #expect(tarError { try scratch.importTar(bytes: tar.bytes) } != nil, "\(size)")
    }
    #expect(try scratch.archive.snapshots().count == 2)
  }

  @Test func `data that is no tar, or a truncated tar, makes no snapshot`() throws {
    let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let bytes = try tarBytes { writer in
      for number in 0..<3 {
        try writer.add("file\(number)", FileEntry(.regular, "file"), data: [UInt8(number)] + content)
      }
    }
    let counts = [0, 1, 511, 512, 1024, 300_000] + Array(stride(from: 0, to: bytes.count - 1024, by: 97 * 512))
    for count in counts {
      #expect(tarError { try scratch.importTar(bytes: Array(bytes.prefix(count))) } != nil, "\(count)")
    }
    let garbage: [[UInt8]] = [Array("garbage".utf8), content, [0x1F, 0x8B, 8, 0], Array(repeating: 0x20, count: 4096)]
    for garbage in garbage {
      #expect(tarError { try scratch.importTar(bytes: garbage) } != nil)
    }
    #expect(try scratch.archive.snapshots().isEmpty)
    // A tar of only the end marker is valid and empty.
    #expect(try scratch.importTar(bytes: [UInt8](repeating: 0, count: 10_240)).snapshot == nil)
    // The failed imports do no damage: the whole tar is imported, and content is stored once.
    try scratch.reopen()
    let whole = try scratch.importTar(bytes: bytes)
    #expect(whole.snapshot != nil && whole.progress.counts.files == 3)
    #expect(try scratch.importTar(bytes: bytes).progress.newBytes == 0)
  }

  @Test(.timeLimit(.minutes(1))) func `an import that waits for a pipe can be interrupted`() throws {
    struct Enough: Error {}
    let pipe = Pipe()
    let bytes = try tarBytes { try $0.add("a", FileEntry(.regular, "a"), data: [UInt8](repeating: 1, count: 9999)) }
    try pipe.fileHandleForWriting.write(contentsOf: Data(bytes.prefix(2000)))
    var count = 0
    #expect(throws: Enough.self) {
      try scratch.archive.importTar(
        from: pipe.fileHandleForReading.fileDescriptor, name: Array("-".utf8),
        progress: { _ in
          count += 1
          if count > 2 { throw Enough() }
        })
    }
    #expect(try scratch.archive.snapshots().isEmpty)
    try pipe.fileHandleForWriting.close()
  }

  @Test func `a path with too many components is refused, a deep one is not`() throws {
    func tar(_ count: Int) throws -> [UInt8] {
      var tar = HostileTar()
      tar.add(record: "path", Array([UInt8](repeating: 0x61, count: count).map { [$0] }.joined(separator: [0x2F])))
      tar.end()
      return tar.bytes
    }
    #expect(try scratch.importTar(bytes: try tar(SnapshotWalk.levelLimit)).snapshot == nil)
    let snapshot = try #require(try scratch.importTar(bytes: try tar(3000)).snapshot)
    #expect(snapshot.counts.directories == 2999 && snapshot.counts.files == 1)
    #expect(throws: ArchiveError.self) {
      try scratch.archive.importTar(from: 0, name: [0x2D], into: Array("a/../b".utf8))
    }
  }
}
