import Foundation
import TestSupport

/// An archive that the tool made, in a directory with room for added and extracted files.
///
/// The tool runs in that directory. The archive has a key instead of a passphrase, so that no key must be derived.
struct ToolArchive {
  let directory: TemporaryDirectory
  var path: String { directory.path("archive") }
  var keyFile: String { directory.path("key") }

  struct Snapshot: Decodable, Equatable {
    let snapshot: String
    let time: Date
    let host: String
    let paths: [String]
    let pathBytes: [Data]?
    let absolutePaths: [String]
    let label: String?
    let tags: [String]
    let fileCount: Int
    let directoryCount: Int
    let byteCount: Int
    let failureCount: Int

    var id: String { snapshot }
    var short: String { String(id.prefix(8)) }
  }

  struct Added: Decodable {
    let snapshot: String?
    let fileCount: Int
    let directoryCount: Int
    let byteCount: Int
    let newFileCount: Int
    let changedFileCount: Int
    let unchangedFileCount: Int
    let excludedCount: Int
    let failureCount: Int
    let failures: [String]
  }

  struct Listed: Decodable, Equatable {
    let path: String
    let pathBytes: Data?
    let kind: String
    let byteCount: Int?
    let permissions: String
    let modified: String
    let target: String?
    let targetBytes: Data?
    let snapshot: String?
  }

  init(isMade: Bool = true) throws {
    directory = try TemporaryDirectory(isInMemory: true)
    try Data([UInt8](repeating: 7, count: 16)).write(to: URL(filePath: keyFile))
    if isMade { _ = try run("init") }
  }

  /// Runs `todana archive COMMAND ARCHIVE …`.
  func run(
    _ command: String, _ arguments: String..., input: String = "", environment: [String: String] = [:],
    runner: [String] = []
  ) throws -> ToolRun {
    try ToolRun(
      ["archive", command, "archive"] + arguments + ["--key-file", "key"], input: input, environment: environment,
      workingDirectory: directory.path, runner: runner)
  }

  /// Starts the tool; the caller waits for it or kills it.
  func start(_ command: String, _ arguments: String...) throws -> ChildProcess {
    try ChildProcess(product: "todana", ["archive", command, path] + arguments + ["--key-file", keyFile])
  }

  /// Waits until a started command has the archive open, which the archive's lock file shows.
  ///
  /// Only reads the lock file, because opening the archive could prevent the started command from opening it.
  func waitUntilOpen(by command: ChildProcess) throws {
    let end = ContinuousClock.now + .seconds(60)
    while try !text(of: "archive/lock").hasPrefix("\(command.processID)\n"), ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  @discardableResult
  func add(_ arguments: String...) throws -> Snapshot {
    _ = try ToolRun(
      ["archive", "add", "archive"] + arguments + ["--key-file", "key"], workingDirectory: directory.path)
    guard let last = try snapshots().last else { throw CocoaError(.fileNoSuchFile) }
    return last
  }

  func snapshots() throws -> [Snapshot] { try run("snapshots", "--json").values(Snapshot.self) }

  func write(_ text: String, to name: String) throws {
    let url = URL(filePath: directory.path(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func text(of name: String) throws -> String { try String(contentsOfFile: directory.path(name), encoding: .utf8) }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: directory.path(name)) }

  func makeTree() throws {
    try write("one", to: "src/a.txt")
    try write("two two", to: "src/sub/b.txt")
    try write("three", to: "src/sub/deep/C.TXT")
    try write("log", to: "src/sub/x.log")
    try FileManager.default.createSymbolicLink(atPath: directory.path("src/link"), withDestinationPath: "a.txt")
  }

  static let treePaths = [
    "src", "src/a.txt", "src/link", "src/sub", "src/sub/b.txt", "src/sub/deep", "src/sub/deep/C.TXT", "src/sub/x.log",
  ]

  /// Returns the content of all files of the archive except the lock, which names the process that has it open.
  func contents() throws -> [String: Data] { try Self.contents(of: path) }

  static func contents(of directory: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory) where !name.hasSuffix("lock") {
      contents[name] = FileManager.default.contents(atPath: directory + "/" + name) ?? Data()
    }
    return contents
  }
}
