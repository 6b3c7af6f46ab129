import Foundation
import TestSupport
import Testing

/// The rotation of keys, which removes a passphrase or key only if it was told to.
@Suite struct ToolKeyRotationTests {
  private let made: ToolStore
  private let recovery: String
  private let other: String

  init() throws {
    made = try ToolStore(isEncrypted: true)
    recovery = made.directory.path("recovery")
    other = made.directory.path("other")
    struct Added: Decodable { let recoveryKey: String }
    let added = try made.run("key", "add", "--json", "--recovery-key", made.path).document(Added.self)
    try Data(added.recoveryKey.utf8).write(to: URL(filePath: recovery))
    try Data([UInt8](repeating: 9, count: 16)).write(to: URL(filePath: other))
  }

  private func opens(_ option: String, _ file: String) throws -> Bool {
    try ToolRun("store", "classes", made.path, option, file).status == 0
  }

  @Test func `a rotation that would remove a recovery key is refused, and changes nothing`() throws {
    let before = try made.run("key", "list", made.path).text
    let run = try made.run("key", "rotate", made.path)
    #expect(run.status == 2)
    #expect(run.messages.contains("(recovery key)") && run.messages.contains("--remove-others"), "\(run.messages)")
    #expect(try made.run("key", "list", made.path).text == before)
    #expect(try opens("--recovery-key-file", recovery))
  }

  @Test func `keys that are known are kept`() throws {
    #expect(try made.run("key", "add", made.path, "--new-key-file", other).status == 0)
    let run = try made.run(
      "key", "rotate", made.path, "--keep-recovery-key-file", recovery, "--keep-key-file", other)
    #expect(run.status == 0 && run.text.isEmpty, "\(run.messages)")
    #expect(try opens("--recovery-key-file", recovery) && opens("--key-file", other))
    #expect(try opens("--key-file", made.keyFile))
    #expect(try made.run("verify", made.path).status == 0)
  }

  @Test func `a new key replaces the one that opened the store, and keeps others`() throws {
    let run = try made.run(
      "key", "rotate", made.path, "--new-key-file", other, "--keep-recovery-key-file", recovery)
    #expect(run.status == 0, "\(run.messages)")
    #expect(try opens("--recovery-key-file", recovery) && opens("--key-file", other))
    #expect(try !opens("--key-file", made.keyFile))
  }

  @Test func `others are removed on request`() throws {
    let run = try made.run("key", "rotate", made.path, "--remove-others")
    #expect(run.status == 0 && run.lines == ["Removed 1 other passphrase or key."], "\(run.messages)")
    #expect(try !opens("--recovery-key-file", recovery))
    #expect(try opens("--key-file", made.keyFile))
  }

  @Test func `a key to keep must open the store`() throws {
    let run = try made.run("key", "rotate", made.path, "--keep-key-file", other, "--remove-others")
    #expect(run.status == 3 && run.messages.contains("The key in \(other) does not open"), "\(run.messages)")
    #expect(try opens("--recovery-key-file", recovery))
  }

  @Test func `the standard input gives one passphrase only`() throws {
    let run = try made.run("key", "rotate", made.path, "--keep-passphrase-file", "-", "--new-passphrase-file", "-")
    #expect(run.status == 2 && run.messages.contains("The standard input cannot be both"), "\(run.messages)")
  }
}
