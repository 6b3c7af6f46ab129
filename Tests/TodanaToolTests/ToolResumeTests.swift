import Foundation
import TestSupport
import Testing
import Todana

/// Encryption, decryption and key rotation that were interrupted, or were not.
@Suite struct ToolResumeTests {
  private func passphrase(_ made: ToolStore, _ text: String = "secret") throws -> String {
    let file = made.directory.path(text)
    try Data(text.utf8).write(to: URL(filePath: file))
    return file
  }

  /// Encrypts a store up to the given step.
  private func interrupt(_ made: ToolStore, _ secret: String = "secret") throws {
    let store = try made.open()
    var steps = 0
    let isFinished = try store.encrypt(with: .passphrase(secret)) { _ in
      steps += 1
      return steps < 3
    }
    try #require(!isFinished)
    try store.close()
  }

  @Test(arguments: [false, true]) func `there is nothing to resume`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let key = ["--key-file", made.keyFile]
    for (command, work) in [("encrypt", "encryption"), ("decrypt", "decryption"), ("rotate", "key rotation")] {
      // A plain store needs no key, but one may be given, as for the interrupted command.
      for options in command == "rotate" || isEncrypted ? [key] : [[], key] {
        let run = try ToolRun(["store", command, made.path, "--resume"] + options)
        #expect(run.status == 4, "\(command)")
        #expect(run.messages.contains("There is nothing to resume: no \(work) of "), "\(command): \(run.messages)")
      }
    }
  }

  @Test func `an encrypted store is not encrypted again`() throws {
    let made = try ToolStore(isEncrypted: true)
    let other = try passphrase(made)
    for options in [
      [], ["--new-key-file", made.keyFile], ["--key-file", made.keyFile], ["--passphrase-file", other],
    ] {
      let run = try ToolRun(["store", "encrypt", made.path] + options)
      #expect(run.status == 3)
      #expect(run.messages.contains("is already encrypted. 'todana store key change'"), "\(run.messages)")
      #expect(!run.messages.contains("Pass --passphrase-file"))
    }
    let wrong = try ToolRun("store", "encrypt", made.path, "--new-passphrase-file", other)
    #expect(wrong.messages.contains("does not open it"), "\(wrong.messages)")
  }

  @Test func `an interrupted encryption is continued by --resume only`() throws {
    let made = try ToolStore()
    let secret = try passphrase(made)
    try interrupt(made)
    let again = try ToolRun("store", "encrypt", made.path, "--new-passphrase-file", secret)
    #expect(again.status == 3 && again.messages.contains("was interrupted: pass --resume"), "\(again.messages)")
    let unnamed = try ToolRun("store", "encrypt", made.path)
    #expect(unnamed.status == 3 && unnamed.messages.contains("pass --resume"), "\(unnamed.messages)")
    let info = try ToolRun("store", "info", made.path, "--passphrase-file", secret)
    #expect(info.status == 3 && info.messages.contains("'todana store encrypt --resume'"), "\(info.messages)")
    let other = try ToolRun("store", "decrypt", made.path, "--passphrase-file", secret, "--resume")
    #expect(other.status == 4 && other.messages.contains("'todana store encrypt --resume'"), "\(other.messages)")
    #expect(try ToolRun("store", "encrypt", made.path, "--resume", "--new-passphrase-file", secret).status == 0)
    #expect(try ToolRun("store", "verify", made.path, "--passphrase-file", secret).status == 0)
  }

  private static let canMount =
    (try? ChildProcess(executable: "/usr/bin/unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).waitForExit())
    == 0

  /// Runs a script with the archive `archive` of one file of 12 MB, and with room for 40 MB in the directory `room`.
  ///
  /// The functions `fill BYTES`, which leaves so many bytes, and `encrypt OPTIONS` are defined.
  private func run(_ script: String, with archive: ToolArchive) throws -> ToolRun {
    let script = """
      mkdir room; mount -t tmpfs -o size=40m tmpfs room || exit 10
      fill() { head -c 50000000 /dev/zero >room/filler 2>/dev/null; truncate -s "-$1" room/filler; }
      tool=$1; encrypt() { "$tool" store encrypt room/archive --new-key-file key "$@" 2>error; }
      cp -r archive room/archive || exit 11
      \(script)
      rm room/filler; cp error first
      encrypt "$@" && "$tool" archive cat room/archive file --key-file key | cmp - file || { cat error >&2; exit 19; }
      cat first >&2
      """
    return try ToolRun(
      [], workingDirectory: archive.directory.path, runner: ["unshare", "-m", "sh", "-c", script, "sh"])
  }

  /// Makes a plain archive of one file of 12 MB.
  private func largeArchive() throws -> ToolArchive {
    let made = try ToolArchive(isMade: false)
    let script = """
      head -c 12000000 /dev/urandom >file
      "$1" archive init archive --plain && "$1" archive add archive file --quiet
      """
    let run = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", script, "sh"])
    try #require(run.status == 0, "\(run.messages)")
    return made
  }

  @Test(.enabled(if: canMount, "mounts a small disk: needs root with the right to mount"))
  func `a store that the disk cannot hold twice is not encrypted`() throws {
    let script = """
      fill 4000000; encrypt; [ $? -eq 4 ] || exit 12
      "$tool" store info room/archive >/dev/null || exit 13; set --
      """
    let run = try run(script, with: try largeArchive())
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.messages.contains(/the disk has \d+ KiB left, and a copy .* needs \d+ KiB more: free/))
  }

  @Test(.enabled(if: canMount, "mounts a small disk: needs root with the right to mount"))
  func `a full disk leaves an encryption unfinished, and the message says what to do`() throws {
    let made = try largeArchive()
    let store = try Store(.directory(made.path), classes: [])
    #expect(try !store.encrypt(with: .key(Array(Data(contentsOf: URL(filePath: made.keyFile))))) { _ in false })
    try store.close()
    let script = """
      fill 4000000; encrypt --resume; [ $? -eq 4 ] || exit 12
      "$tool" store info room/archive --key-file key 2>/dev/null; [ $? -eq 3 ] || exit 13; set -- --resume
      """
    let run = try run(script, with: made)
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.messages.contains(/The encryption is unfinished, .* Free some space .* with --resume/))
  }
}
