import Foundation
import TestSupport
import Testing

/// The permissions of new stores, archives, copies and series, which only their owner can read.
@Suite struct ToolPermissionTests {
  private let made: ToolStore

  init() throws { made = try ToolStore(isEncrypted: true) }

  /// Returns the paths of files that are not 0600 and of directories that are not 0700.
  private func readable(_ path: String) throws -> [String] {
    let paths = try [path] + FileManager.default.subpathsOfDirectory(atPath: path).map { path + "/" + $0 }
    return try paths.filter { path in
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let permissions = try #require(attributes[.posixPermissions] as? Int)
      return permissions != (attributes[.type] as? FileAttributeType == .typeDirectory ? 0o700 : 0o600)
    }
  }

  @Test(arguments: [
    "import", "backup", "backup --encrypted", "backup --series", "restore", "salvage", "init", "unpack",
  ])
  func `only the owner can read the files of a new`(_ command: String) throws {
    let (directory, key) = (made.directory.path, ["--key-file", "key"])
    let new = made.directory.path("new")
    func run(_ arguments: [String], input: String = "") throws {
      let run = try ToolRun(
        arguments, input: input, workingDirectory: directory, runner: ["sh", "-c", "umask 022; exec \"$@\"", "sh"])
      #expect(run.status == 0, "\(arguments): \(run.messages)")
    }
    switch command {
    case "import":
      try run(["store", "import", "new", "--new-key-file", "key"], input: made.run("dump", made.path).text)
    case "backup --encrypted":
      try run(["store", "backup", "store", "new", "--encrypted", "--new-key-file", "key"] + key)
    case "restore":
      try run(["store", "backup", "--series", "store", "series"] + key)
      try run(["store", "restore", "series", "new"])
    case "init": try run(["archive", "init", "new", "--new-key-file", "key"])
    case "unpack":
      try run(["archive", "init", "archive", "--new-key-file", "key"])
      try run(["archive", "pack", "archive", "pack.tar"] + key)
      try run(["archive", "unpack", "new", "pack.tar"])
    default: try run(["store"] + command.split(separator: " ").map(String.init) + ["store", "new"] + key)
    }
    #expect(try readable(new) == [])
  }

  @Test func `existing files keep their permissions`() throws {
    let (keys, directory) = (made.path + "/keys", made.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: keys)
    try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: directory)
    #expect(try made.run("compact", made.path).status == 0)
    #expect(try FileManager.default.attributesOfItem(atPath: keys)[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions] as? Int == 0o750)
  }
}
