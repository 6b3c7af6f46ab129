// Unit tests of the decisions that a filter returns to a walk.
import Testing
import TodanaArchive

@Suite struct FileFilterTests {
  private static let tag = CacheDirectoryTag.signature + "\n# made by a test\n".bytes

  private func filter(ignoring lines: String? = nil) -> FileFilter { filter(ignoring: lines) { _ in } }

  private func filter<Failure: Error>(
    ignoring lines: String? = nil, _ configure: (inout FilterOptions) throws(Failure) -> Void
  ) throws(Failure) -> FileFilter {
    var options = FilterOptions()
    try configure(&options)
    return FileFilter(options, device: 1, markers: .init(ignoreFile: lines?.bytes))
  }

  /// Returns the reason to leave out a regular file of `size` bytes, or a directory if the name ends in a slash.
  private func reason(_ filter: inout FileFilter, _ name: String, size: Int = 10) -> String? {
    let isDirectory = name.last == "/"
    let bytes = (isDirectory ? name.dropLast() : name[...]).bytes
    switch filter.decision(name: bytes, isDirectory: isDirectory, size: isDirectory ? nil : size, device: 1) {
    case .include: return nil
    case .exclude(let reason), .includeWithoutContent(let reason): return reason.description
    }
  }

  @Test func `a filter without options includes everything`() {
    var filter = filter()
    for name in ["a", ".b", "CACHEDIR.TAG", "d/"] { #expect(reason(&filter, name, size: .max) == nil) }
  }

  @Test func `one option excludes files, and another includes some of them again`() throws {
    var filter = try filter {
      try $0.exclude("*.log".bytes)
      try $0.exclude(lines: "# mine\n/build/\n".bytes, of: "my.excludes".bytes)
      try $0.include("keep.log".bytes)
    }
    #expect(reason(&filter, "a.log") == "excluded by “*.log” (--exclude)")
    #expect(reason(&filter, "keep.log") == nil)
    #expect(reason(&filter, "build/") == "excluded by “/build/” (my.excludes, line 2)")
    #expect(reason(&filter, "build") == nil)
    filter.enter("sub".bytes)
    #expect(reason(&filter, "build/") == nil)
    #expect(reason(&filter, "a.log") != nil)
  }

  @Test func `the order of options decides`() throws {
    var filter = try filter {
      try $0.include("a".bytes)
      try $0.exclude("a".bytes)
      try $0.exclude("b".bytes)
      try $0.exclude("!b".bytes)
    }
    #expect(reason(&filter, "a") != nil)
    #expect(reason(&filter, "b") == nil)
  }

  @Test func `the pattern file in the deepest directory decides`() {
    var filter = filter(ignoring: "*.o\nx")
    filter.enter("src".bytes, markers: .init(ignoreFile: "!a.o\n/y".bytes))
    #expect(reason(&filter, "a.o") == nil)
    #expect(reason(&filter, "b.o") == "excluded by “*.o” (.todanaignore, line 1)")
    #expect(reason(&filter, "y") == "excluded by “/y” (src/.todanaignore, line 2)")
    filter.enter("deep".bytes)
    #expect(filter.directory == "src/deep".bytes)
    #expect(reason(&filter, "a.o") == nil)
    #expect(reason(&filter, "y") == nil)
    #expect(reason(&filter, "x") == "excluded by “x” (.todanaignore, line 2)")
    filter.leave()
    #expect(reason(&filter, "y") != nil)
    filter.leave()
    #expect(filter.directory.isEmpty)
    #expect(reason(&filter, "a.o") != nil)
    #expect(reason(&filter, "y") == nil)
  }

  @Test func `rules of the command line take precedence over pattern files`() throws {
    var filter = try filter(ignoring: "*.o\n!keep") {
      try $0.exclude("keep".bytes)
      try $0.include("a.o".bytes)
    }
    #expect(reason(&filter, "a.o") == nil)
    #expect(reason(&filter, "b.o") != nil)
    #expect(reason(&filter, "keep") == "excluded by “keep” (--exclude)")
  }

  @Test func `a cache directory keeps only its tag`() {
    var filter = filter { $0.excludesCaches = true }
    #expect(reason(&filter, "cache/") == nil)
    filter.enter("cache".bytes, markers: .init(cacheTag: Self.tag))
    #expect(reason(&filter, "CACHEDIR.TAG") == nil)
    #expect(reason(&filter, "a") == "in a cache directory (--exclude-caches)")
    #expect(reason(&filter, "CACHEDIR.TAG/") != nil)
    #expect(reason(&filter, "d/") != nil)
    filter.leave()
    #expect(reason(&filter, "a") == nil)
  }

  @Test(arguments: ["", "Signature: 8a477f597d28d172789f06886806bc5", "signature: 8a477f597d28d172789f06886806bc55"])
  func `a file with the name of a cache tag but other content is no tag`(_ content: String) {
    var filter = filter { $0.excludesCaches = true }
    filter.enter("cache".bytes, markers: .init(cacheTag: content.bytes))
    #expect(reason(&filter, "a") == nil)
  }

  @Test func `a cache tag has no effect without the option`() {
    var filter = filter()
    filter.enter("cache".bytes, markers: .init(cacheTag: Self.tag))
    #expect(reason(&filter, "a") == nil)
  }

  @Test func `large files are left out`() throws {
    var filter = try filter { $0.largestFile = try ByteSize("1k") }
    #expect(reason(&filter, "a", size: 1024) == nil)
    #expect(reason(&filter, "a", size: 1025) == "larger than 1k (--exclude-larger-than)")
    // A symbolic link or a device has no size.
    #expect(filter.decision(name: "a".bytes, isDirectory: false, size: nil, device: 1) == .include)
    #expect(filter.decision(name: "a".bytes, isDirectory: true, size: 4096, device: 1) == .include)
  }

  @Test func `a mount point of another file system is included without content`() throws {
    var filter = try filter {
      $0.staysOnFileSystem = true
      try $0.exclude("proc".bytes)
    }
    #expect(
      filter.decision(name: "mnt".bytes, isDirectory: true, size: nil, device: 2)
        == .includeWithoutContent(.otherFileSystem))
    #expect(
      filter.decision(name: "hosts".bytes, isDirectory: false, size: 1, device: 2) == .exclude(.otherFileSystem))
    #expect(filter.decision(name: "mnt".bytes, isDirectory: true, size: nil, device: 1) == .include)
    guard case .exclude(.rule) = filter.decision(name: "proc".bytes, isDirectory: true, size: nil, device: 2) else {
      Issue.record("a rule takes precedence")
      return
    }
  }

  @Test(arguments: ["[a", "", "/", "a//b"])
  func `an option that matches nothing is refused`(_ pattern: String) {
    var options = FilterOptions()
    #expect(throws: ArgumentError.self) { try options.exclude(pattern.bytes) }
    #expect(throws: ArgumentError.self) { try options.include(pattern.bytes) }
    #expect(options.rules.rules.isEmpty)
  }

  @Test func `an error about a file of excludes names the line`() throws {
    var options = FilterOptions()
    let error = #expect(throws: ArgumentError.self) { try options.exclude(lines: "a\n[b\n".bytes, of: "list".bytes) }
    #expect(error?.code == .flawedPattern)
    #expect(error?.message.contains("“[b” (list, line 2) matches nothing") == true)
    #expect(options.rules.rules.isEmpty)
    #expect(throws: ArgumentError.self) { try options.include("!a".bytes) }
  }

  @Test func `a mistake in a pattern file is reported`() {
    var filter = filter(ignoring: "a\n[b")
    #expect(filter.flawedRules.map(\.description) == ["“[b” (.todanaignore, line 2)"])
    filter.enter("d".bytes)
    #expect(filter.flawedRules.isEmpty)
  }

  @Test func `leaving a directory that was not entered traps`() async {
    await #expect(processExitsWith: .failure) {
      var filter = FileFilter(FilterOptions(), device: 1)
      filter.leave()
    }
  }

  @Test func `entering a path instead of a name traps`() async {
    await #expect(processExitsWith: .failure) {
      var filter = FileFilter(FilterOptions(), device: 1)
      filter.enter(Array("a/b".utf8))
    }
  }
}
