import Foundation
import TestSupport
import Testing

/// Flags that `chattr` sets, kept in archives.
@Suite struct ToolArchiveFlagTests {
  let made: ToolArchive

  init() throws { made = try ToolArchive() }

  private func shell(_ script: String, runner: [String] = []) throws -> ToolRun {
    try ToolRun([], workingDirectory: made.directory.path, runner: runner + ["sh", "-c", "set -e\n" + script, "sh"])
  }

  /// Removes the flags that would prevent the directory's removal.
  private func unlock() throws {
    _ = try shell("chattr -R -f -i -a . || true")
  }

  /// Whether the file system has the flags and the process may set them.
  private static let canLock: Bool = {
    guard let directory = try? TemporaryDirectory(isInMemory: true) else { return false }
    let script = "cd \"$0\" && echo x >file && chattr +id file && chattr -i file"
    return (try? ChildProcess(executable: "/bin/sh", ["-c", script, directory.path]).waitForExit()) == 0
  }()

  @Test(.enabled(if: canLock, "sets flags: needs root, chattr and a file system that keeps flags"))
  func `flags are kept, restored last, and compared on request`() throws {
    defer { try? unlock() }
    let made = try shell(
      """
      mkdir -p src/locked src/plain; echo i >src/locked/file; echo a >src/plain/append; echo d >src/plain/dump
      echo l >src/plain/first; ln src/plain/first src/plain/second; mkfifo src/plain/fifo
      chattr +d src/plain/dump src/plain; chattr +a src/plain/append
      chattr +i src/locked/file src/plain/first src/locked
      """)
    #expect(made.status == 0, "\(made.messages)")
    try self.made.add("src")
    let restored = try self.made.run("extract", "--target", "out")
    #expect(restored.status == 0, "\(restored.messages)")
    let flags = "cd $0; find . -type f -o -type d | sort | xargs lsattr -d | cut -c1-20"
    func lsattr(_ name: String) throws -> String {
      try ToolRun([], workingDirectory: self.made.directory.path, runner: ["sh", "-c", flags, name]).text
    }
    #expect(try lsattr("out/src") == lsattr("src"))
    #expect(try shell("[ out/src/plain/first -ef out/src/plain/second ]").status == 0)

    // Immutable files cannot be replaced, which is reported.
    _ = try shell("chattr -d out/src/plain/dump; chattr -i src/plain/first src/locked src/locked/file")
    let again = try self.made.run("extract", "--target", "out", "--overwrite", "metadata")
    #expect(again.status == 0 && again.lines.contains("Set the metadata of 1 existing file."), "\(again.text)")
    #expect(try self.made.run("extract", "--target", "out", "--overwrite", "always").status == 0)
    _ = try shell("chattr -i out/src/locked/file; echo other >out/src/locked/file; chattr +i out/src/locked/file")
    let refused = try self.made.run("extract", "--target", "out", "--overwrite", "always")
    #expect(refused.status == 1 && refused.messages.contains("immutable"), "\(refused.messages)")
    #expect(try self.made.text(of: "out/src/locked/file") == "other\n")

    // Different flags are a difference between snapshots.
    try self.made.add("src")
    let snapshots = try self.made.snapshots()
    let diff = try self.made.run("diff", snapshots[0].id, snapshots[1].id)
    #expect(diff.lines.contains("metadata  src/plain/first"), "\(diff.text)")
  }

  @Test(.enabled(if: canLock, "sets flags: needs root, chattr and a file system that keeps flags"))
  func `flags that only root may set are reported by their names`() throws {
    defer { try? unlock() }
    let made = try shell(
      "mkdir src room; echo i >src/file; chattr +id src/file; chown 65534 room")
    #expect(made.status == 0, "\(made.messages)")
    try self.made.add("src")
    _ = try shell("chown -R 65534 archive")
    let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
    let run = try self.made.run("extract", "--target", "room/out", runner: nobody)
    #expect(run.status == 1 && run.messages.contains("only root can make files immutable"), "\(run.messages)")
    #expect(try shell("lsattr room/out/src/file | cut -d' ' -f1 | tr -d -").text == "d\n")
  }

  @Test(.enabled(if: canLock, "sets flags: needs root, chattr and a file system that keeps flags"))
  func `tar streams have flags`() throws {
    defer { try? unlock() }
    _ = try shell("mkdir src; echo x >src/file; chattr +id src/file; chattr +a src")
    try made.add("src")
    let run = try shell(
      """
      "$1" archive tar export archive --key-file key --output tar
      "$1" archive init other --key-file key
      "$1" archive tar import other tar --key-file key
      "$1" archive list other -r --json --key-file key
      """)
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.text.contains(#""flags":"id""#) && run.text.contains(#""flags":"a""#), "\(run.text)")
    #expect(
      try shell("grep -a -o 'SCHILY.fflags=[a-z,]*' tar | sort").lines == [
        "SCHILY.fflags=sappnd", "SCHILY.fflags=schg,nodump",
      ])
  }

  private static let canMount =
    (try? ChildProcess(executable: "/usr/bin/unshare", ["-m", "mount", "-t", "ramfs", "ramfs", "/mnt"]).waitForExit())
    == 0

  @Test(.enabled(if: canLock && canMount, "mounts a file system without flags: needs root with the right to mount"))
  func `flags that the target's file system does not support are reported by their names`() throws {
    defer { try? unlock() }
    _ = try shell("mkdir src room; echo i >src/file; chattr +id src/file")
    try made.add("src")
    let run = try shell(
      """
      mount -t ramfs ramfs room
      "$1" archive extract archive --key-file key --target room/out
      """, runner: ["unshare", "-m"])
    #expect(run.status == 1 && run.messages.contains("(immutable, no dump)"), "\(run.messages)")
  }
}
