import Foundation
import Glibc
import Testing

@testable import TodanaArchive

/// Tests of interrupted restores: no incomplete file has its final name.
@Suite struct TargetInterruptionTests {
  let directory: ScratchTree

  init() throws {
    directory = try ScratchTree()
    try directory.make("to")
  }

  @Test func `an abandoned file leaves nothing, and an existing one stays`() throws {
    try directory.write("there", to: "to/name")
    let target = try TargetDirectory.open(directory.bytes("to"), .always)
    do {
      let file = try target.makeFile(FileEntry(.regular, "name", byteCount: 1 << 20))
      try file.write([UInt8](repeating: 1, count: 1 << 16).span, at: 0)
      let names = try directory.names("to")
      #expect(names.count == 2 && names.contains("name"))
    }
    #expect(try directory.names("to") == ["name"])
    #expect(try directory.text(of: "to/name") == "there")
  }

  @Test func `files of a killed process have temporary names and are removed by the next run`() async throws {
    let path = directory.path("to")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let target = try TargetDirectory.open(Array(path.utf8), .always)
      let file = try target.makeFile(FileEntry(.regular, "name", byteCount: 1 << 20))
      try file.write([UInt8](repeating: 1, count: 1 << 16).span, at: 0)
      kill(getpid(), SIGKILL)
    }
    let left = try directory.names("to")
    #expect(left.count == 1 && left[0].hasPrefix(".todana-extract-"))
    // These names only resemble temporary names.
    let others = [".todana-extract-", ".todana-extract-0123456789abcdef", ".todana-extract-0123456789abcdef-x", "a"]
    for name in others { try directory.write("mine", to: "to/" + name) }
    try directory.link("to/.todana-extract-0123456789abcdef-5", to: "/etc/passwd")
    try directory.make("to/.todana-extract-0123456789abcdef-6")
    try directory.write("", to: "to/.todana-extract-0123456789abcdef-6/.todana-extract-unfinished")
    try directory.make("to/.todana-extract-0123456789abcdef-7")
    try directory.write("mine", to: "to/.todana-extract-0123456789abcdef-7/file")
    // Another process is still writing its file.
    let other = try TargetDirectory.open(directory.bytes("to"), .always)
    let file = try other.makeFile(FileEntry(.regular, "other", byteCount: 0))

    let target = try TargetDirectory.open(directory.bytes("to"), .always)
    #expect(try target.removeLeftovers() == 3)
    try file.finish()
    #expect(
      try directory.names("to") == (others + ["other", ".todana-extract-0123456789abcdef-7"]).sorted())
    #expect(target.report.warnings == [])
  }

  /// The directory is unfinished work of an earlier run, so every option allows it to be completed.
  @Test(arguments: [RestoreOptions.Overwriting.never, .older, .always, .metadata])
  func `an unfinished directory of a killed process is finished by the next run`(
    overwriting: RestoreOptions.Overwriting
  ) async throws {
    let path = directory.path("to")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      var tree = TargetTree(try .open(Array(path.utf8)))
      try tree.enter(FileEntry(.directory, "outer", permissions: 0o2751))
      try tree.enter(FileEntry(.directory, "inner", permissions: 0o555))
      kill(getpid(), SIGKILL)
    }
    #expect(try directory.names("to/outer") == [".todana-extract-unfinished", "inner"])
    var tree = TargetTree(try .open(directory.bytes("to"), overwriting))
    #expect(try tree.enter(FileEntry(.directory, "outer", permissions: 0o2751)) == .unfinished)
    #expect(try tree.enter(FileEntry(.directory, "inner", permissions: 0o555)) == .unfinished)
    try tree.leave()
    try tree.leave()
    let target = try #require(tree.directory)
    let outer = try #require(try target.existing(Array("outer".utf8)))
    #expect(outer.permissions == 0o2751 && outer.modificationTime == FileTime(seconds: 1_700_000_000))
    #expect(try directory.names("to/outer") == ["inner"] && directory.names("to/outer/inner") == [])
    #expect(target.report.warnings == [])
    // A finished directory counts as existing, like any other.
    guard case .existing = try tree.enter(FileEntry(.directory, "outer")) else {
      Issue.record("the directory is not finished")
      return
    }
    try tree.leave()
    #expect(target.report.keptDirectoryCount + target.report.updatedDirectoryCount == 1)
  }

  /// Tests the state after the marker was removed and before the time was set.
  @Test func `a directory with the permissions of an unfinished one is finished`() throws {
    try directory.make("to/name")
    try System.setPermissions(directory.path("to/name"), 0o5700)
    var tree = TargetTree(try .open(directory.bytes("to")))
    #expect(try tree.enter(FileEntry(.directory, "name", permissions: 0o750)) == .unfinished)
    try tree.leave()
    let found = try #require(try tree.directory?.existing(Array("name".utf8)))
    #expect(found.permissions == 0o750 && found.modificationTime == FileTime(seconds: 1_700_000_000))
    #expect(tree.root.report.warnings == [])
    // A walk that adds the unfinished directory reports it.
    try System.setPermissions(directory.path("to/name"), 0o5700)
    var walk = try SourceWalk(from: SourceStart(directory.bytes("to")) { _ in })
    var failures: [FileError] = []
    while let step = walk.next() { if case .failure(let error) = step { failures.append(error) } }
    #expect(failures.map(\.code) == [.unfinished] && failures[0].path.suffix(7) == Array("to/name".utf8)[...])
  }

  @Test(.enabled(if: Environment.isRoot, Comment(rawValue: "mounts a small disk: needs root")))
  func `a full disk is an error that names the file`() async throws {
    let path = directory.path("to")
    await #expect(processExitsWith: .success) { [path = path as String] in
      do { try System.mountPrivately(path, options: "size=256k") } catch { exit(EXIT_SUCCESS) }
      let target = try TargetDirectory.open(Array(path.utf8), .always)
      try target.write("there", to: "name")
      let failure = error {
        let file = try target.makeFile(FileEntry(.regular, "name", byteCount: 1 << 20))
        try file.write([UInt8](repeating: 1, count: 1 << 20).span, at: 0)
        try file.finish()
      }
      #expect(failure?.code == .noSpace)
      #expect(failure?.path == Array((path + "/name").utf8))
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      let text = try String(contentsOfFile: path + "/name", encoding: .utf8)
      guard failure?.code == .noSpace, failure?.path == Array((path + "/name").utf8), names == ["name"],
        text == "there"
      else { exit(1) }
    }
  }

  @Test(.enabled(if: Environment.isRoot, Comment(rawValue: "mounts a read-only disk: needs root")))
  func `a read-only target is an error that names the file`() async throws {
    let path = directory.path("to")
    await #expect(processExitsWith: .success) { [path = path as String] in
      do { try System.mountPrivately(path, options: "size=256k") } catch { exit(EXIT_SUCCESS) }
      try System.makeReadOnly(path)
      let target = try TargetDirectory.open(Array(path.utf8), .always)
      let failures = [
        error { _ = try target.makeFile(FileEntry(.regular, "name")) },
        error { _ = try target.makeDirectory(FileEntry(.directory, "name")) },
        error { _ = try target.makeLink(.link("name", to: "x")) },
        error { _ = try target.makeSpecialFile(FileEntry(.fifo, "name")) },
      ]
      for failure in failures {
        guard failure?.code == .readOnly, failure?.path == Array((path + "/name").utf8) else { exit(1) }
      }
    }
  }

  @Test(.enabled(if: Environment.hasAllRights, Comment(rawValue: Environment.needsRoot)))
  func `files and metadata that need the rights of root are left out without them`() async throws {
    let path = directory.path
    try directory.make("from")
    try directory.write("setuid", to: "from/setuid")
    try System.setPermissions(directory.path("from/setuid"), 0o6755)
    try directory.write("read-only", to: "from/read-only")
    try System.setAttribute("user.note", [1], directory.path("from"), "read-only")
    try System.setPermissions(directory.path("from/read-only"), 0o444)
    try System.makeNode(directory.path("from/device"), S_IFCHR | 0o666, 1 << 8 | 3)
    try directory.make("from/closed")
    try System.setPermissions(directory.path("from/closed"), 0)
    try directory.make("from/locked")
    try directory.write("inside", to: "from/locked/file")
    try System.setPermissions(directory.path("from/locked"), 0o555)
    try System.setOwner(directory.path("to"), 65534, 65534)
    await #expect(processExitsWith: .success) { [path = path as String] in
      try System.becomeNobody()
      let to = Array((path + "/to").utf8)
      // In the second round, a directory without write permission already exists.
      for round in 1...2 {
        var walk = RestoringWalk(RestoreOptions(overwriting: .always))
        try walk.run(from: Array((path + "/from").utf8), to: to)
        guard walk.failures.map(\.code) == [.notPermitted], walk.failures[0].path.suffix(6) == Array("closed".utf8)[...]
        else { exit(1) }
        let skipped = walk.report.warnings.filter { $0.code == .skipped }.map(\.operation)
        guard skipped.contains(.setOwner), skipped.contains(.makeSpecialFile) else { exit(2) }
        guard skipped.filter({ $0 == .setOwner }).count == 1, walk.report.skippedOwnerCount > 1 else { exit(3) }
        guard round == 2 || skipped.contains(.setPermissions) else { exit(4) }
        guard walk.report.warnings.allSatisfy({ $0.code == .skipped }) else { exit(5) }
        let target = try TargetDirectory.open(to)
        guard try target.existing(Array("setuid".utf8))?.permissions == 0o755 else { exit(6) }
        let readOnly = try target.existing(Array("read-only".utf8))
        guard readOnly?.permissions == 0o444, readOnly?.attributes.map(\.value) == [[1]] else { exit(7) }
        guard try target.existing(Array("locked".utf8))?.permissions == 0o555 else { exit(8) }
        guard try target.existing(Array("device".utf8)) == nil else { exit(9) }
        // Leaves a file to write in the existing directory.
        if round == 1 { try System.setPermissions(path + "/to/locked", 0o755) }
        if round == 1 { try FileManager.default.removeItem(atPath: path + "/to/locked/file") }
        if round == 1 { try System.setPermissions(path + "/to/locked", 0o555) }
      }
    }
    #expect(try directory.names("to") == ["closed", "locked", "read-only", "setuid"])
    #expect(try directory.names("to/locked") == ["file"])
  }
}
