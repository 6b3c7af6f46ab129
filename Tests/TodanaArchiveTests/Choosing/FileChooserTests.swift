// Units: what a walk is told.
import Testing
import TodanaArchive

@Suite struct FileChooserTests {
  private static let tag = CacheDirectoryTag.signature + "\n# made by a test\n".bytes

  private func chooser(ignoring lines: String? = nil) -> FileChooser { chooser(ignoring: lines) { _ in } }

  private func chooser<Failure: Error>(
    ignoring lines: String? = nil, _ configure: (inout ChoosingOptions) throws(Failure) -> Void
  ) throws(Failure) -> FileChooser {
    var options = ChoosingOptions()
    try configure(&options)
    return FileChooser(options, device: 1, markers: .init(ignoreFile: lines?.bytes))
  }

  /// For a regular file of 10 bytes, or a directory where the name ends in a slash.
  private func reason(_ chooser: inout FileChooser, _ name: String, size: Int = 10) -> String? {
    let isDirectory = name.last == "/"
    let bytes = (isDirectory ? name.dropLast() : name[...]).bytes
    switch chooser.decision(name: bytes, isDirectory: isDirectory, size: isDirectory ? nil : size, device: 1) {
    case .include: return nil
    case .exclude(let reason), .includeWithoutContent(let reason): return reason.description
    }
  }

  @Test func `without options everything is taken`() {
    var chooser = chooser()
    for name in ["a", ".b", "CACHEDIR.TAG", "d/"] { #expect(reason(&chooser, name, size: .max) == nil) }
  }

  @Test func `an option leaves out, and another takes back`() throws {
    var chooser = try chooser {
      try $0.exclude("*.log".bytes)
      try $0.exclude(lines: "# mine\n/build/\n".bytes, of: "my.excludes".bytes)
      try $0.include("keep.log".bytes)
    }
    #expect(reason(&chooser, "a.log") == "excluded by “*.log” (--exclude)")
    #expect(reason(&chooser, "keep.log") == nil)
    #expect(reason(&chooser, "build/") == "excluded by “/build/” (my.excludes, line 2)")
    #expect(reason(&chooser, "build") == nil)
    chooser.enter("sub".bytes)
    #expect(reason(&chooser, "build/") == nil)
    #expect(reason(&chooser, "a.log") != nil)
  }

  @Test func `the order of options decides`() throws {
    var chooser = try chooser {
      try $0.include("a".bytes)
      try $0.exclude("a".bytes)
      try $0.exclude("b".bytes)
      try $0.exclude("!b".bytes)
    }
    #expect(reason(&chooser, "a") != nil)
    #expect(reason(&chooser, "b") == nil)
  }

  @Test func `the deepest file of patterns decides`() {
    var chooser = chooser(ignoring: "*.o\nx")
    chooser.enter("src".bytes, markers: .init(ignoreFile: "!a.o\n/y".bytes))
    #expect(reason(&chooser, "a.o") == nil)
    #expect(reason(&chooser, "b.o") == "excluded by “*.o” (.todanaignore, line 1)")
    #expect(reason(&chooser, "y") == "excluded by “/y” (src/.todanaignore, line 2)")
    chooser.enter("deep".bytes)
    #expect(chooser.directory == "src/deep".bytes)
    #expect(reason(&chooser, "a.o") == nil)
    #expect(reason(&chooser, "y") == nil)
    #expect(reason(&chooser, "x") == "excluded by “x” (.todanaignore, line 2)")
    chooser.leave()
    #expect(reason(&chooser, "y") != nil)
    chooser.leave()
    #expect(chooser.directory.isEmpty)
    #expect(reason(&chooser, "a.o") != nil)
    #expect(reason(&chooser, "y") == nil)
  }

  @Test func `the command line goes before files of patterns`() throws {
    var chooser = try chooser(ignoring: "*.o\n!keep") {
      try $0.exclude("keep".bytes)
      try $0.include("a.o".bytes)
    }
    #expect(reason(&chooser, "a.o") == nil)
    #expect(reason(&chooser, "b.o") != nil)
    #expect(reason(&chooser, "keep") == "excluded by “keep” (--exclude)")
  }

  @Test func `of a cache directory the tag stays`() {
    var chooser = chooser { $0.excludesCaches = true }
    #expect(reason(&chooser, "cache/") == nil)
    chooser.enter("cache".bytes, markers: .init(cacheTag: Self.tag))
    #expect(reason(&chooser, "CACHEDIR.TAG") == nil)
    #expect(reason(&chooser, "a") == "in a cache directory (--exclude-caches)")
    #expect(reason(&chooser, "CACHEDIR.TAG/") != nil)
    #expect(reason(&chooser, "d/") != nil)
    chooser.leave()
    #expect(reason(&chooser, "a") == nil)
  }

  @Test(arguments: ["", "Signature: 8a477f597d28d172789f06886806bc5", "signature: 8a477f597d28d172789f06886806bc55"])
  func `a file that only has the name of a tag is none`(_ content: String) {
    var chooser = chooser { $0.excludesCaches = true }
    chooser.enter("cache".bytes, markers: .init(cacheTag: content.bytes))
    #expect(reason(&chooser, "a") == nil)
  }

  @Test func `a tag has no meaning unasked`() {
    var chooser = chooser()
    chooser.enter("cache".bytes, markers: .init(cacheTag: Self.tag))
    #expect(reason(&chooser, "a") == nil)
  }

  @Test func `large files are left out`() throws {
    var chooser = try chooser { $0.largestFile = try ByteSize("1k") }
    #expect(reason(&chooser, "a", size: 1024) == nil)
    #expect(reason(&chooser, "a", size: 1025) == "larger than 1k (--exclude-larger-than)")
    // A symbolic link, a device.
    #expect(chooser.decision(name: "a".bytes, isDirectory: false, size: nil, device: 1) == .include)
    #expect(chooser.decision(name: "a".bytes, isDirectory: true, size: 4096, device: 1) == .include)
  }

  @Test func `another file system's root stays, empty`() throws {
    var chooser = try chooser {
      $0.staysOnFileSystem = true
      try $0.exclude("proc".bytes)
    }
    #expect(
      chooser.decision(name: "mnt".bytes, isDirectory: true, size: nil, device: 2)
        == .includeWithoutContent(.otherFileSystem))
    #expect(
      chooser.decision(name: "hosts".bytes, isDirectory: false, size: 1, device: 2) == .exclude(.otherFileSystem))
    #expect(chooser.decision(name: "mnt".bytes, isDirectory: true, size: nil, device: 1) == .include)
    guard case .exclude(.rule) = chooser.decision(name: "proc".bytes, isDirectory: true, size: nil, device: 2) else {
      Issue.record("a rule goes before")
      return
    }
  }

  @Test(arguments: ["[a", "", "/", "a//b"])
  func `an option that matches nothing is refused`(_ pattern: String) {
    var options = ChoosingOptions()
    #expect(throws: ChoosingError.self) { try options.exclude(pattern.bytes) }
    #expect(throws: ChoosingError.self) { try options.include(pattern.bytes) }
    #expect(options.rules.rules.isEmpty)
  }

  @Test func `a file of excludes is refused with its line`() throws {
    var options = ChoosingOptions()
    let error = #expect(throws: ChoosingError.self) { try options.exclude(lines: "a\n[b\n".bytes, of: "list".bytes) }
    #expect(error?.code == .flawedPattern)
    #expect(error?.message.contains("“[b” (list, line 2) matches nothing") == true)
    #expect(options.rules.rules.isEmpty)
    #expect(throws: ChoosingError.self) { try options.include("!a".bytes) }
  }

  @Test func `a mistake in a file of patterns is told`() {
    var chooser = chooser(ignoring: "a\n[b")
    #expect(chooser.flawedRules.map(\.description) == ["“[b” (.todanaignore, line 2)"])
    chooser.enter("d".bytes)
    #expect(chooser.flawedRules.isEmpty)
  }

  @Test func `leaving what was not entered traps`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var chooser = FileChooser(ChoosingOptions(), device: 1)
      chooser.leave()
    }
    try expect(result, says: "leave() without enter().")
  }

  @Test func `entering a path traps`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var chooser = FileChooser(ChoosingOptions(), device: 1)
      chooser.enter(Array("a/b".utf8))
    }
    try expect(result, says: "A name to enter is empty or has a slash.")
  }

  /// Release builds leave messages out.
  private func expect(_ result: ExitTest.Result?, says message: String) throws {
    #if DEBUG
      let output = try #require(result).standardErrorContent
      #expect(String(decoding: output, as: UTF8.self).contains(message))
    #endif
  }
}
