import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

/// Tests that importing a tar stream gives the snapshot that unpacking it and adding its files gives.
@Suite struct ArchiveTarImportTests {
  @Test(.enabled(if: Environment.isRoot, Comment(rawValue: Environment.needsRoot)))
  func `an exported tree is imported as it was, with every kind of file and metadata`() throws {
    let scratch = try ScratchArchive()
    try TortureTree(path: scratch.directory.path("from")).make()
    let added = try #require(try scratch.add("from").snapshot)
    try scratch.exportTar(added, to: "all.tar")

    // The tar is imported into the archive of the first snapshot, so equal rows prove that content and holes are the
    // same.
    let beside = try scratch.importTar("all.tar")
    #expect(beside.progress.failures == [])
    #expect(beside.progress.newBytes == 0)
    let imported = try #require(beside.snapshot)
    try scratch.archive.diff(added, imported, onFailure: { Issue.record("\($0)") }) { Issue.record("\($0)") }
    #expect(imported.counts == added.counts)

    let other = try ScratchArchive()
    let elsewhere = try other.importTar(scratch.directory.path("all.tar"))
    #expect(elsewhere.progress.failures == [])
    let snapshot = try #require(elsewhere.snapshot)
    let (expected, found) = (try scratch.comparable(added), try other.comparable(snapshot))
    #expect(expected.count > TortureTree.deepCount + 50)
    #expect(expected.map(\.path) == found.map(\.path))
    for (one, another) in zip(expected, found) where one != another { Issue.record("\(one) \(another)") }
    try other.extract(snapshot, to: "to")
    for name in ["sparse", "hard-a", "z/hard-c"] {
      let from = scratch.directory.path("from/\(name)")
      try Command.run("cmp", [from, other.directory.path("to") + from])
    }
  }

  @Test(arguments: 0..<4)
  func `GNU tar's entries in any order import like the added files`(seed: Int) throws {
    let scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    var generator = SeededGenerator(seed: UInt64(seed))
    var names: [String] = ["from"]
    for number in 0..<40 {
      let directory = "from/d\(Int.random(in: 0...4, using: &generator))/e\(Int.random(in: 0...4, using: &generator))"
      try scratch.directory.make(directory)
      let name = "\(directory)/f\(number)"
      let count = Int.random(in: 0...150_000, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try Data(bytes).write(to: URL(filePath: scratch.directory.path(name)))
      if number.isMultiple(of: 5) {
        try System.makeHardLink(scratch.directory.path("from/hard\(number)"), to: scratch.directory.path(name))
      }
    }
    names += try FileManager.default.subpathsOfDirectory(atPath: scratch.directory.path("from")).map { "from/\($0)" }
    names.shuffle(using: &generator)
    // Some files are in the list twice.
    names += names.prefix(5)
    try scratch.directory.write(
      names.map { String(scratch.directory.path($0).dropFirst()) + "\n" }.joined(), to: "list")
    try Command.run(
      "tar",
      [
        "-cf", scratch.directory.path("any.tar"), "-C", "/", "--format=pax", "--no-recursion", "--xattrs", "--acls",
        "-T",
        scratch.directory.path("list"),
      ])
    let imported = try scratch.importTar("any.tar")
    #expect(imported.progress.failures == [])
    let added = try scratch.add("from")
    #expect(added.progress.newBytes == 0)
    let (old, new) = (try #require(added.snapshot), try #require(imported.snapshot))
    #expect(new.counts.files == old.counts.files && new.counts.bytes == old.counts.bytes)
    try scratch.archive.diff(old, new, paths: [scratch.stored("from")], onFailure: { Issue.record("\($0)") }) {
      Issue.record("\($0.path) \($0.changes)")
    }
    #expect(try scratch.links(old) == scratch.links(new))
  }

  @Test(.enabled(if: Command.isInstalled("python3")))
  func `a tar by Python with missing directories and repeated entries is imported`() throws {
    let scratch = try ScratchArchive()
    let program = """
      import io, sys, tarfile
      with tarfile.open(sys.argv[1], "w:gz") as tar:
        def add(name, data=b"", kind=tarfile.REGTYPE, target="", time=5, mode=0o640):
          item = tarfile.TarInfo(name)
          item.size, item.type, item.linkname, item.mtime, item.mode = len(data), kind, target, time, mode
          tar.addfile(item, io.BytesIO(data))
        add("made/deep/file", b"first", time=7)
        add("made/other", b"other", time=9)
        add("made/hard", kind=tarfile.LNKTYPE, target="made/deep/file")
        add("late/in", b"in", time=3)
        add("made/deep/file", b"second", time=8)
        add("late", kind=tarfile.DIRTYPE, mode=0o700, time=1)
        add("thing", b"a file")
        add("thing", kind=tarfile.DIRTYPE, mode=0o711)
        add("thing2", kind=tarfile.DIRTYPE)
        add("thing2", b"a file")
      """
    try Command.run("python3", ["-c", program, scratch.directory.path("python.tar.gz")])
    let imported = try scratch.importTar("python.tar.gz")
    #expect(imported.progress.failures == [])
    let snapshot = try #require(imported.snapshot)
    #expect(
      try scratch.texts(snapshot) == [
        "late 700 1", "late/in 640 3 in", "made 755 9", "made/deep 755 8", "made/deep/file 640 8 second",
        "made/hard 640 7 first", "made/other 640 9 other", "thing 711 5", "thing2 640 5 a file",
      ])
    #expect(snapshot.counts.files == 5 && snapshot.counts.directories == 4 && snapshot.counts.bytes == 24)
    // The file's other name was replaced.
    #expect(try scratch.archive.entry(Array("made/hard".utf8), of: snapshot).file.linkCount == 1)
    #expect(snapshot.paths == [Array("python.tar.gz".utf8)])
  }

  @Test func `a tar from a pipe can be imported below a path, without excluded files`() throws {
    let scratch = try ScratchArchive()
    let bytes = try tarBytes { writer in
      try writer.add(".", FileEntry(.directory, ".", permissions: 0o711, time: FileTime(seconds: 7)))
      try writer.add("./a.log", FileEntry(.regular, "a.log"), data: [1, 2, 3])
      try writer.add("keep/large", FileEntry(.regular, "large"), data: [UInt8](repeating: 1, count: 100_000))
      try writer.add("keep/b", FileEntry(.regular, "b"), data: [4])
      try writer.add("out/c", FileEntry(.regular, "c"), data: [5])
      try writer.add("out/sub/d", FileEntry(.regular, "d"), data: [6])
      let target = Array("./out/c".utf8)
      try writer.add(TarEntry(path: Array("e".utf8), entry: FileEntry(.regular, "e"), hardLinkTarget: target))
    }
    let pipe = Pipe()
    let writing = Thread { [writer = pipe.fileHandleForWriting] in
      try? writer.write(contentsOf: Data(bytes))
      try? writer.close()
    }
    writing.start()
    var options = AddOptions()
    try options.filter.exclude(Array("*.log".utf8))
    try options.filter.exclude(Array("/out/".utf8))
    options.filter.largestFile = try ByteSize("50k")
    options.notesExclusions = true
    let imported = try scratch.archive.importTar(
      from: pipe.fileHandleForReading.fileDescriptor, name: Array("-".utf8), into: Array("/new/./top/".utf8),
      options: options)
    let snapshot = try #require(imported.snapshot)
    let found = try scratch.texts(snapshot)
    #expect(found.map { $0.prefix { $0 != " " } } == ["new", "new/top", "new/top/keep", "new/top/keep/b"])
    #expect(found.dropFirst().first == "new/top 711 7")
    #expect(imported.progress.excluded == 4)
    #expect(imported.progress.exclusions.first == "a.log: excluded by “*.log” (--exclude)")
    #expect(
      imported.progress.failures == [
        "“new/top/e” was left out: it is a hard link to “new/top/out/c”, which is missing or not a file"
      ])
  }

  @Test func `a dry run reads the whole tar and stores nothing`() throws {
    let scratch = try ScratchArchive()
    let bytes = try tarBytes { writer in
      try writer.add("a/b", FileEntry(.regular, "b"), data: [UInt8](repeating: 1, count: 100_000))
      try writer.add("a", FileEntry(.regular, "a"), data: [1])
    }
    var options = AddOptions()
    options.isDryRun = true
    try scratch.reopen(.read)
    let imported = try scratch.importTar(bytes: bytes, options: options)
    #expect(imported.snapshot == nil)
    #expect(imported.progress.counts.files == 1 && imported.progress.counts.bytes == 100_000)
    #expect(
      imported.progress.failures == ["“a” was left out: a directory that is not empty is in its place"])
    #expect(try scratch.archive.snapshots().isEmpty)
  }
}

extension ScratchArchive {
  func exportTar(_ snapshot: Snapshot, to name: String) throws {
    let file = try TestFile(writing: directory.path(name))
    try archive.exportTar(snapshot, to: file.descriptor) { Issue.record("\($0)") }
  }

  /// Imports a file from the archive's directory, or one given by an absolute path.
  func importTar(_ name: String, options: AddOptions = AddOptions()) throws -> Archive.Added {
    let path = name.hasPrefix("/") ? name : directory.path(name)
    let file = try #require(FileHandle(forReadingAtPath: path))
    return try archive.importTar(from: file.fileDescriptor, name: Array(name.utf8), options: options)
  }

  func importTar(bytes: [UInt8], options: AddOptions = AddOptions()) throws -> Archive.Added {
    try Data(bytes).write(to: URL(filePath: directory.path("bytes.tar")))
    return try importTar("bytes.tar", options: options)
  }

  struct Comparable: Equatable {
    let path: [UInt8]
    var file: FileEntry
    /// The first path of this file, if it has several.
    let first: [UInt8]
    let extents: [Range<Int64>]
    let bytes: [UInt8]
  }

  /// Returns the entries of a snapshot without their device and inode numbers.
  ///
  /// Content is read only for files without holes.
  func comparable(_ snapshot: Snapshot) throws -> [Comparable] {
    var found: [Comparable] = []
    var firsts: [FileIdentity: [UInt8]] = [:]
    var walk = SnapshotWalk(snapshot.pages, of: archive.content)
    let reader = ContentReader(archive.content)
    while let step = try walk.next() {
      guard case .entry(var entry) = step else { continue }
      let path = walk.path(of: entry)
      var first = path
      if entry.file.kind != .directory, entry.file.linkCount > 1 {
        first = firsts[entry.file.identity] ?? path
        firsts[entry.file.identity] = first
      }
      var bytes: [UInt8] = []
      if entry.file.kind == .regular, entry.extents.isEmpty {
        try unsafe reader.read(entry) { part, _ in unsafe bytes.append(contentsOf: part) }
      }
      entry.file.identity = FileIdentity(device: 0, inode: 0)
      if entry.file.kind == .directory { entry.file.linkCount = 1 }
      if entry.file.kind != .regular { entry.file.byteCount = 0 }
      entry.file.attributes.sort { $0.name.lexicographicallyPrecedes($1.name) }
      found.append(Comparable(path: path, file: entry.file, first: first, extents: entry.extents, bytes: bytes))
    }
    return found
  }

  /// Returns the path, the first path and the link count of each file with several paths.
  func links(_ snapshot: Snapshot) throws -> [String] {
    try comparable(snapshot).filter { $0.file.linkCount > 1 && $0.file.kind != .directory }
      .map { "\(printable($0.path)) \(printable($0.first)) \($0.file.linkCount)" }
  }

  /// Returns a line for each path: path, permissions, seconds, content.
  func texts(_ snapshot: Snapshot) throws -> [String] {
    try comparable(snapshot).map { item in
      let words = [
        printable(item.path), String(item.file.permissions, radix: 8), "\(item.file.modificationTime.seconds)",
        String(decoding: item.bytes, as: UTF8.self),
      ]
      return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
}
