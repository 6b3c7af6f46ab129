import Foundation
import Glibc
import Testing

@testable import TodanaArchive

/// Tests of reading files that change concurrently, and of the paths at which a walk may start.
@Suite struct SourceReadingTests {
  let directory: ScratchTree

  init() throws {
    directory = try ScratchTree()
    try directory.make("from/b")
    try directory.write("text", to: "from/a")
    try directory.write("inside", to: "from/b/c")
    try directory.link("from/link", to: "b")
  }

  private func source() throws -> SourceDirectory {
    let start = try SourceStart(directory.bytes("from/")) { Issue.record($0) }
    return try #require(start.directory)
  }

  private func walk(_ path: [UInt8]) throws -> [String] {
    var walk = try SourceWalk(from: SourceStart(path) { Issue.record($0) })
    var steps: [String] = []
    while let step = walk.next() {
      switch step {
      case .entry(let entry): steps.append(printable(entry.name))
      case .end(let entry): steps.append("end " + printable(entry.name))
      case .failure(let error): Issue.record(error)
      }
    }
    return steps
  }

  @Test func `a walk begins with a directory, a file or a link, however the path is written`() throws {
    let inside = ["a", "b", "c", "end b", "link"]
    #expect(try walk(directory.bytes("from")) == ["from"] + inside + ["end from"])
    #expect(try walk(directory.bytes("from///")) == ["from"] + inside + ["end from"])
    #expect(try walk(directory.bytes("from/.")) == [""] + inside + ["end "])
    #expect(try walk(directory.bytes("from/b/..")) == [""] + inside + ["end "])
    #expect(try walk(directory.bytes("from/a")) == ["a"])
    // A link as the last step is itself the start of the walk. An earlier link is followed.
    #expect(try walk(directory.bytes("from/link")) == ["link"])
    #expect(try walk(directory.bytes("from/link/")) == ["link", "c", "end link"])
    #expect(try walk(directory.bytes("from/link/c")) == ["c"])
    // The path is longer than the system accepts in one call.
    let long = String(repeating: "./", count: 5000)
    #expect(try walk(directory.bytes("from/\(long)b")) == ["b", "c", "end b"])
  }

  @Test func `a walk may begin with the working directory and the root`() async throws {
    let path = directory.path("from")
    await #expect(processExitsWith: .success) { [path = path as String] in
      guard FileManager.default.changeCurrentDirectoryPath(path) else { exit(1) }
      for (start, count) in [(".", 7), ("./", 7), ("a", 1), ("./a", 1), ("b", 3), ("b/.", 3), ("b/..", 7)] {
        var walk = try SourceWalk(from: SourceStart(Array(start.utf8)) { _ in exit(2) })
        var found = 0
        while let step = walk.next() {
          if case .failure = step { exit(3) }
          found += 1
        }
        guard found == count else { exit(4) }
      }
      let root = try SourceStart([0x2F]) { _ in }
      guard root.entry.kind == .directory, root.entry.name == [] else { exit(5) }
      var walk = try SourceWalk(from: root)
      _ = walk.next()
      guard case .entry = walk.next(), walk.directory?.path == [0x2F] else { exit(6) }
    }
  }

  @Test func `a path that leads to no file is an error that names it`() {
    for (path, code) in [
      ("missing", FileError.Code.vanished), ("from/a/b", .notADirectory), ("from/a/", .notADirectory),
    ] {
      let failure = error { try SourceStart(directory.bytes(path)) { _ in } }
      #expect(failure?.code == code)
      #expect(failure.map { String(decoding: $0.path, as: UTF8.self).hasPrefix(directory.path) } == true)
    }
    #expect(error { try SourceStart([]) { _ in } }?.code == .vanished)
    #expect(error { try SourceStart([0x61, 0]) { _ in } } != nil)
    let long = [UInt8](repeating: 0x61, count: 100_000)
    #expect(error { try SourceStart(long) { _ in } }?.code == .tooLarge)
  }

  @Test func `a skipped directory is not entered`() throws {
    var walk = try SourceWalk(from: SourceStart(directory.bytes("from")) { Issue.record($0) })
    var names: [String] = []
    while let step = walk.next() {
      guard case .entry(let entry) = step else { continue }
      names.append(printable(entry.name))
      if entry.name == [0x62] { walk.skip() }
    }
    #expect(names == ["from", "a", "b", "link"])
  }

  @Test func `a file that vanished or was replaced is reported`() throws {
    let source = try source()
    let entry = try source.entry(named: [0x61]) { Issue.record($0) }
    func open() -> FileError? { error { _ = try source.openFile(entry) } }
    #expect(open() == nil)
    let path = directory.path("from/a")
    try System.rename(path, to: path + "-before")
    #expect(open()?.code == .vanished)
    #expect(open()?.path == directory.bytes("from/a"))
    try directory.write("text", to: "from/a")
    #expect(open()?.code == .changed)
    for (kind, mode) in [("fifo", S_IFIFO), ("socket", S_IFSOCK)] as [(String, mode_t)] {
      try FileManager.default.removeItem(atPath: path)
      try System.makeNode(path, mode | 0o600)
      #expect(open()?.code == .changed, Comment(rawValue: kind))
    }
    try FileManager.default.removeItem(atPath: path)
    try directory.link("from/a", to: "a-before")
    #expect(open()?.code == .changed)
    try FileManager.default.removeItem(atPath: path)
    try directory.make("from/a")
    #expect(open()?.code == .changed)

    let inside = try source.entry(named: [0x62]) { Issue.record($0) }
    try System.rename(directory.path("from/b"), to: directory.path("from/moved"))
    try directory.link("from/b", to: "moved")
    let failure = error {
      try source.openDirectory(named: [0x62], expecting: inside.identity)
    }
    #expect(failure?.code == .changed)
    #expect(error { try source.openDirectory(named: [0x62]) }?.code == .linkInTheWay)
  }

  @Test func `a walk that opens files provides the data of each regular file`() throws {
    try System.makeNode(directory.path("from/fifo"), S_IFIFO | 0o600)
    try directory.write("more", to: "from/text")
    func walk(known: [FileEntry] = []) throws -> [(entry: FileEntry, text: String?)] {
      var walk = try SourceWalk(from: SourceStart(directory.bytes("from")) { Issue.record($0) }, opensFiles: true)
      var found: [(FileEntry, String?)] = []
      while let step = walk.next(known: { name in known.first { $0.name == name } }) {
        guard case .entry(let entry) = step else { continue }
        var bytes = [UInt8](repeating: 0, count: 100)
        var span = bytes.mutableSpan
        let count = try walk.file?.read(into: &span, at: 0)
        found.append((entry, count.map { String(decoding: bytes.prefix($0), as: UTF8.self) }))
      }
      return found
    }
    let found = try walk()
    let source = try source()
    #expect(found.map { $0.text } == [nil, "text", nil, "inside", nil, nil, "more"])
    // Checks all entries except the top and the file in the subdirectory.
    for (entry, _) in found.dropFirst() where entry.name != [0x63] {
      #expect(try source.entry(named: entry.name) { Issue.record($0) } == entry)
    }
    // Files with a known entry are not opened.
    #expect(try walk(known: found.map(\.entry)).allSatisfy { $0.text == nil })
  }

  @Test func `a walk that opens files finds entries that were replaced or removed`() throws {
    for kind in ["nothing", "fifo", "link", "directory"] {
      try directory.make("changing-\(kind)")
      for name in ["a", "b"] { try directory.write("text", to: "changing-\(kind)/\(name)") }
      let start = try SourceStart(directory.bytes("changing-\(kind)")) { Issue.record($0) }
      var walk = try SourceWalk(from: start, opensFiles: true)
      for name in ["changing-\(kind)", "a"] {
        guard case .entry(let entry) = walk.next(), entry.name == Array(name.utf8) else {
          Issue.record("\(name) was expected")
          return
        }
      }
      // The names have been read, but the second file has not been opened.
      let path = directory.path("changing-\(kind)/b")
      try FileManager.default.removeItem(atPath: path)
      switch kind {
      case "fifo": try System.makeNode(path, S_IFIFO | 0o600)
      case "link": try directory.link("changing-\(kind)/b", to: "a")
      case "directory": try directory.make("changing-\(kind)/b")
      default: break
      }
      let expected: [String: FileKind] = [
        "fifo": .fifo, "link": .symbolicLink(target: [0x61]), "directory": .directory,
      ]
      switch walk.next() {
      case .entry(let entry): #expect(entry.kind == expected[kind] && walk.file == nil)
      case .failure(let error): #expect(kind == "nothing" && error.code == .vanished)
      default: Issue.record("no entry replaced the file")
      }
    }
  }

  @Test func `a walk continues when directories are moved during it`() throws {
    try System.makeDeepDirectories(directory.path("deep"), count: 50, name: "d")
    var walk = try SourceWalk(from: SourceStart(directory.bytes("deep")) { Issue.record($0) }, openLimit: 2)
    var (depth, failures, ends) = (0, 0, 0)
    while let step = walk.next() {
      switch step {
      case .entry(let entry) where entry.kind == .directory:
        depth += 1
        guard depth == 40 else { break }
        let here = String(repeating: "/d", count: 20)
        try System.rename(directory.path("deep" + here), to: directory.path("moved"))
        try System.rename(directory.path("deep/d/d"), to: directory.path("moved-too"))
      case .entry: break
      case .end: ends += 1
      case .failure(let error):
        #expect(error.code == .changed || error.code == .vanished)
        failures += 1
      }
    }
    #expect(depth == 51 && ends == 51 && failures > 0)
  }

  @Test func `holes are distinguished from data`() throws {
    let path = directory.path("from/sparse")
    try System.makeSparseFile(path, byteCount: 10 << 20, data: [1 << 20: [1, 2, 3], (5 << 20) + 7: [4]])
    let source = try source()
    let entry = try source.entry(named: Array("sparse".utf8)) { Issue.record($0) }
    let file = try source.openFile(entry)
    var ranges: [Range<Int64>] = []
    var offset: Int64 = 0
    while let data = try file.nextData(from: offset) {
      ranges.append(data)
      offset = data.upperBound
    }
    #expect(ranges.contains { $0.contains(1 << 20) } && ranges.contains { $0.contains((5 << 20) + 7) })
    #expect(ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } < 1 << 20)
    #expect(try file.nextData(from: 10 << 20) == nil)
    #expect(try file.nextData(from: .max) == nil)
    #expect(error { try file.nextData(from: -1) }?.code == .badValue)

    var buffer = [UInt8](repeating: 9, count: 8)
    var span = buffer.mutableSpan
    #expect(try file.read(into: &span, at: (1 << 20) - 2) == 8)
    #expect(buffer == [0, 0, 1, 2, 3, 0, 0, 0])
    var end = buffer.mutableSpan
    #expect(try file.read(into: &end, at: (10 << 20) - 3) == 3)
    var beyond = buffer.mutableSpan
    #expect(try file.read(into: &beyond, at: .max) == 0)
    for advice in [SourceFile.Advice.sequential, .willNeed, .doNotNeed] { file.advise(advice) }

    #expect(try !file.hasChanged(since: entry))
    try System.setTime(path, 5)
    #expect(try file.hasChanged(since: entry))
  }

  @Test func `names come in the order of their bytes, each once`() throws {
    try directory.make("names")
    let names: [[UInt8]] = [[0xFF], [0x61, 0xFF], [0x61], [0x61, 0x61], [0x0A], Array("...".utf8)]
    for name in names { try System.makeFile(directory.bytes("names/") + name) }
    let start = try SourceStart(directory.bytes("names/")) { Issue.record($0) }
    let found = try #require(start.directory).names()
    #expect(Array(found) == names.sorted { $0.lexicographicallyPrecedes($1) })
    // Make more names than the kernel returns in one call.
    for number in 0..<5000 { try System.makeFile(directory.bytes("names/") + Array("number \(number)".utf8)) }
    #expect(try start.directory?.names().count == 5006)
  }

  /// Releasing one parent path after the other, recursively, would take a stack just as deep.
  @Test func `a path of a million components is released without deep recursion`() {
    var path = EntryPath(Array("start".utf8))
    for _ in 0..<1_000_000 { path = EntryPath([0x61], in: path) }
    #expect(path.names.count == 1_000_001)
    path = EntryPath([])
    #expect(path.bytes.isEmpty)
  }

  @Test func `a message is one line without control characters, whatever the name`() throws {
    let name = Array("a\n\u{1B}[31m\\".utf8) + [0xFF, 0xC3] + Array("é\u{202E}".utf8)
    #expect(printable(name) == #"a\x0a\x1b[31m\\\xff\xc3é\xe2\x80\xae"#)
    let failure = try #require(error { try source().entry(named: name) { _ in } })
    #expect(failure.description.hasSuffix(#"/from/a\x0a\x1b[31m\\\xff\xc3é\xe2\x80\xae”: No such file or directory"#))
    #expect(failure.errorNumber == ENOENT && failure.operation == .readStatus)
  }
}
