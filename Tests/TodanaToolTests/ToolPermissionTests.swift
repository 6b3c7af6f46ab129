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

  // Adding a passphrase gave the file of keys the permissions of its directory.
  @Test(arguments: ["compact", "key add"]) func `existing files keep their permissions with`(
    _ command: String
  ) throws {
    let (keys, copy) = (made.path + "/keys", made.path + "/keys-copy")
    let permissions = [(keys, 0o600), (copy, 0o640), (made.path, 0o755)]
    for (path, bits) in permissions {
      try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: path)
    }
    let recovery = command == "key add" ? ["--recovery-key"] : []
    let words = ["store"] + command.split(separator: " ").map(String.init) + [made.path] + recovery + made.secret
    #expect(try ToolRun(words).status == 0)
    for (path, bits) in permissions {
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == bits, "\(path)")
    }
  }
}
