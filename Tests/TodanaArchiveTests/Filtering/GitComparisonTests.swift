// Differential tests: random ignore files in random trees, compared with `git check-ignore --no-index`.
//
// Both report for each path the line of the ignore file that decides: to exclude the path, or to include it again.
// A failure prints the seed; `TODANA_TEST_SEED` repeats it.
import Foundation
import TestSupport
import Testing
import TodanaArchive

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct GitComparisonTests {
  @Test(.enabled(if: GitComparison.hasGit, "git is not installed"))
  func `a filter leaves out the files that Git ignores`() throws {
    let seed = RandomSeeds.next()
    var comparison = try GitComparison(seed: seed)
    let leastCount = LongTests.areEnabled ? 100_000 : 4_000
    while comparison.comparedCount < leastCount { try comparison.compareOneTree() }
    print(
      "compared \(comparison.comparedCount) paths with Git, \(comparison.decidedCount) decided by a rule; seed \(seed)")
    // If rules decided all paths, or hardly any, the comparison would prove little.
    #expect(comparison.decidedCount > comparison.comparedCount / 10)
    #expect(comparison.decidedCount < comparison.comparedCount * 9 / 10)
  }
}

private struct GitComparison {
  let seed: UInt64
  let directory: TemporaryDirectory
  var generator: SeededGenerator
  var comparedCount = 0
  var decidedCount = 0
  private var treeCount = 0

  static let hasGit = (try? run(["--version"], in: "/", input: nil)) != nil

  init(seed: UInt64) throws {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    directory = try TemporaryDirectory(isInMemory: true)
    _ = try Self.run(["init", "--quiet", "--template=", "."], in: directory.path, input: nil)
  }

  /// Makes a random tree below a new directory, and compares the filter's decisions with Git's.
  mutating func compareOneTree() throws {
    treeCount += 1
    let root = "t\(treeCount)".utf8.map { $0 }
    let tree = RandomTree(generator: generator)
    generator = tree.generator
    for directoryPath in tree.directories {
      try make(root + (directoryPath.isEmpty ? [] : [UInt8(ascii: "/")] + directoryPath), content: nil)
      guard let content = tree.ignoreFiles[directoryPath] else { continue }
      try make(
        root + [UInt8(ascii: "/")] + (directoryPath.isEmpty ? [] : directoryPath + [UInt8(ascii: "/")])
          + ".gitignore".utf8, content: content)
    }
    for file in tree.files { try make(root + [UInt8(ascii: "/")] + file, content: []) }

    let paths = tree.directories.filter { !$0.isEmpty } + tree.files
    let input = paths.map { root + [UInt8(ascii: "/")] + $0 + [0] }.joined()
    let output = try Self.run(
      ["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"], in: directory.path,
      input: Array(input))
    // Four fields for each path: file, line, pattern, path.
    let fields = output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
    try #require(fields.count == paths.count * 4)
    for (index, path) in paths.enumerated() {
      let isDecided = !fields[index * 4].isEmpty
      let line = isDecided ? Int(String(decoding: fields[index * 4 + 1], as: UTF8.self)) : nil
      let file = isDecided ? Array(fields[index * 4].dropFirst(root.count + 1)) : nil
      let told = tree.decidingRule(for: path, isDirectory: tree.directories.contains(path))
      comparedCount += 1
      if told != nil { decidedCount += 1 }
      if told?.file == file && told?.line == line { continue }
      let git = file.map { "\(shown($0)), line \(line ?? 0)" } ?? "no rule"
      let ours = told.map { "\(shown($0.file)), line \($0.line)" } ?? "no rule"
      let files = tree.ignoreFiles.map { "\(shown($0.key))/: \(shown($0.value))" }.joined(separator: "\n")
      Issue.record("seed \(seed), tree \(treeCount), \(shown(path)): for Git \(git) decides; for us \(ours)\n\(files)")
    }
    try FileManager.default.removeItem(atPath: directory.path("t\(treeCount)"))
  }

  private func shown(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).debugDescription }

  /// Makes a directory, or a file if `content` is not nil.
  ///
  /// Foundation cannot make names that are not UTF-8.
  private func make(_ relativePath: [UInt8], content: [UInt8]?) throws {
    let path = (Array(directory.path.utf8) + [UInt8(ascii: "/")] + relativePath + [0]).map { CChar(bitPattern: $0) }
    guard let content else {
      try #require(unsafe mkdir(path, 0o755) == 0)
      return
    }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(unsafe write(descriptor, content, content.count) == content.count)
  }

  /// Runs Git without this machine's configuration, and returns its output.
  private static func run(_ arguments: [String], in directory: String, input: [UInt8]?) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    process.currentDirectoryURL = URL(filePath: directory)
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
    environment["GIT_CONFIG_NOSYSTEM"] = "1"
    environment["HOME"] = "/nonexistent"
    environment["XDG_CONFIG_HOME"] = "/nonexistent"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let scratch = try TemporaryDirectory(isInMemory: true)
    try Data(input ?? []).write(to: URL(filePath: scratch.path("input")))
    let inputFile = try FileHandle(forReadingFrom: URL(filePath: scratch.path("input")))
    process.standardInput = inputFile
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // check-ignore exits with 1 if no path is ignored.
    guard process.terminationStatus == 0 || (process.terminationStatus == 1 && input != nil) else {
      throw CocoaError(.executableLoad)
    }
    return Array(bytes)
  }
}
