import Foundation
import TestSupport
import Testing

/// `todana archive add`: unreadable files are listed, and all others are in the snapshot.
///
/// An optimized executable once lost errors that a debug build reported, so run these tests with `swift test -c
/// release`, too.
@Suite struct ToolArchiveUnreadableTests {
  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
  }

  /// A file whose first page is never mapped, so that reading it fails with EIO for every user.
  private static let unreadable = "/proc/self/mem"

  @Test func `a file whose reading fails is listed, and the others are archived`() throws {
    let run = try made.run("add", "src", Self.unreadable, "--json")
    #expect(run.status == 1, "\(run.messages)")
    #expect(run.messages.contains("Cannot read “\(Self.unreadable)”: Input/output error"))
    let added = try run.document(ToolArchive.Added.self)
    #expect(added.fileCount == 5 && added.failureCount == 1 && added.snapshot != nil)
    #expect(try made.run("cat", "src/sub/b.txt").text == "two two")
    // A dry run reads no content.
    #expect(try made.run("add", Self.unreadable, "--dry-run").status == 0)
  }

  @Test func `no snapshot is made of unreadable paths`() throws {
    let run = try made.run("add", Self.unreadable)
    #expect(run.status == 4 && run.lines.last == "Nothing could be read: no snapshot was made.")
    #expect(try made.snapshots() == [])
  }

  @Test(.enabled(if: geteuid() == 0, "becomes another user: needs root"))
  func `a snapshot is not made of a directory that cannot be opened`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: made.directory.path("src"))
    try made.write("good", to: "good")
    _ = try ChildProcess(executable: "/bin/chown", ["-R", "65534", made.path, made.keyFile]).waitForExit()
    let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
    let run = try made.run("add", "src", runner: nobody)
    #expect(run.status == 4)
    #expect(run.messages.contains("src”: Permission denied"))
    #expect(run.lines.last == "Nothing could be read: no snapshot was made.")
    #expect(try made.run("add", "src", "good", runner: nobody).status == 1)
    #expect(try made.snapshots().count == 1)
    // Make a directory that can be listed, but contains only unreadable files.
    try made.write("secret", to: "listed/a")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: made.directory.path("listed/a"))
    let listed = try made.run("add", "listed", runner: nobody)
    #expect(listed.status == 4 && listed.lines.last == "Nothing could be read: no snapshot was made.")
    #expect(try made.snapshots().count == 1)
  }

  @Test func `a snapshot is not made of a working directory that was removed`() throws {
    let script = """
      mkdir gone; cd gone; rmdir ../gone; exec "$0" "$@" . --key-file "$KEY"
      """
    let run = try ToolRun(
      ["archive", "add", made.path], environment: ["KEY": made.keyFile], workingDirectory: made.directory.path,
      runner: ["/bin/sh", "-c", script])
    #expect(run.status == 4, "\(run.messages)")
    #expect(run.messages.contains("Cannot list “.”"))
    #expect(try made.snapshots() == [])
  }

  /// Takes a lease, like Samba on files that a client has open.
  @Test func `a file under a lease is archived when the lease is released`() throws {
    let holder = try ChildProcess("lease", made.directory.path("src/a.txt"))
    guard holder.nextLine() == "leased" else {
      // No other file system with leases is known that the test could try.
      try Test.cancel("the file system has no leases")
    }
    let run = try made.run("add", "src", "--json")
    #expect(run.status == 0, "\(run.messages)")
    #expect(try run.document(ToolArchive.Added.self).fileCount == 5)
    #expect(holder.nextLine() == "returned")
    holder.endInput()
    #expect(try made.run("cat", "src/a.txt").text == "one")
  }

  /// Waits until the system breaks the lease after /proc/sys/fs/lease-break-time, which is 45 s by default.
  @Test(.enabled(if: LongTests.areEnabled, "\(LongTests.reason)"))
  func `a file under a lease that is not released is archived when the system breaks the lease`() throws {
    let holder = try ChildProcess("lease", made.directory.path("src/a.txt"), "kept")
    guard holder.nextLine() == "leased" else { try Test.cancel("the file system has no leases") }
    let run = try made.run("add", "src", "--json")
    #expect(run.status == 0, "\(run.messages)")
    #expect(try run.document(ToolArchive.Added.self).fileCount == 5)
    #expect(holder.nextLine() == "asked")
    holder.endInput()
    #expect(try made.run("cat", "src/a.txt").text == "one")
  }
}
