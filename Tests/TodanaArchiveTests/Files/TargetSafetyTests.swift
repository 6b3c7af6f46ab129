import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests that neither an archive nor another process can make a restore write outside of the target.
@Suite struct TargetSafetyTests {
  let directory: ScratchTree

  init() throws {
    directory = try ScratchTree()
    try directory.make("to")
    try directory.make("outside")
    try directory.write("outside", to: "outside/file")
  }

  private func target(_ overwriting: RestoreOptions.Overwriting = .never) throws -> TargetDirectory {
    try .open(directory.bytes("to"), overwriting)
  }

  /// Checks that nothing outside was made, changed or removed.
  private func expectUntouched() throws {
    #expect(try directory.names("outside") == ["file"])
    #expect(try directory.text(of: "outside/file") == "outside")
    #expect(try directory.names(".") == ["outside", "to"])
  }

  static let badNames: [[UInt8]] = [
    [], Array(".".utf8), Array("..".utf8), Array("/".utf8), Array("../outside/x".utf8), Array("/tmp/x".utf8),
    Array("a/b".utf8), Array("a/".utf8), [0x61, 0, 0x62], [0], [UInt8](repeating: 0x61, count: 256),
    [UInt8](repeating: 0x61, count: 1 << 20),
  ]

  @Test(arguments: badNames, [RestoreOptions.Overwriting.never, .always])
  func `a name that is not a single path component is refused`(
    name: [UInt8], overwriting: RestoreOptions.Overwriting
  ) throws {
    let target = try target(overwriting)
    let good = Array("good".utf8)
    try target.write("good", to: "good")
    #expect(error { try target.makeFile(FileEntry(.regular, name)) }?.code == .badName)
    #expect(error { try target.makeDirectory(FileEntry(.directory, name)) }?.code == .badName)
    let link = FileEntry(.symbolicLink(target: good), name)
    #expect(error { try target.makeLink(link) }?.code == .badName)
    for kind in [FileKind.fifo, .socket, .characterDevice(major: 1, minor: 3), .blockDevice(major: 7, minor: 0)] {
      let entry = FileEntry(kind, name)
      #expect(error { try target.makeSpecialFile(entry) }?.code == .badName)
    }
    let hardLink = FileEntry(.regular, name)
    #expect(
      error { try target.makeHardLink(hardLink, to: [good], expecting: nil) }?.code == .badName)
    for steps in [[name], [name, good]] {
      let entry = FileEntry(.regular, "new")
      #expect(
        error { try target.makeHardLink(entry, to: steps, expecting: nil) }?.code == .badName)
    }
    #expect(error { try target.placement(of: hardLink) }?.code == .badName)
    #expect(error { try target.isRight(hardLink) }?.code == .badName)
    #expect(error { try target.existing(name) }?.code == .badName)
    #expect(try directory.names("to") == ["good"])
    try expectUntouched()
  }

  @Test(arguments: ["../outside", "/", ".", "loop"])
  func `a restored link is not followed`(leadsTo: String) throws {
    for overwriting in [RestoreOptions.Overwriting.never, .always] {
      let target = try target(overwriting)
      let time = FileTime(seconds: 1_700_000_000)
      try? System.setPermissions(directory.path("to"), 0o755)
      if try target.existing(Array("loop".utf8)) == nil { try target.makeLink(.link("loop", to: leadsTo)) }
      let entry = FileEntry(.directory, "loop", time: time)
      if overwriting == .never {
        #expect(error { try target.makeDirectory(entry) }?.code == .linkInTheWay)
        let file = FileEntry(.regular, "new")
        let steps = [Array("loop".utf8), Array("file".utf8)]
        #expect(
          error { try target.makeHardLink(file, to: steps, expecting: nil) }?.code
            == .linkInTheWay)
        #expect(error { try target.write("x", to: "loop") }?.code == .exists)
      } else {
        try target.makeDirectory(entry).write("inside", to: "file")
        #expect(try directory.text(of: "to/loop/file") == "inside")
      }
      try expectUntouched()
    }
  }

  /// The file replaces the link itself, not the file that it leads to.
  @Test func `a file is not written through a link in its place`() throws {
    try directory.link("to/name", to: "../outside/file")
    try target(.always).write("restored", to: "name")
    #expect(try directory.text(of: "to/name") == "restored")
    try expectUntouched()
  }

  @Test func `a file is not written through a hard link in its place`() throws {
    try System.makeHardLink(directory.path("to/name"), to: directory.path("outside/file"))
    try target(.always).write("restored", to: "name")
    try expectUntouched()
  }

  @Test func `a link in the place of a directory is replaced only if the options allow it`() throws {
    try directory.link("to/directory", to: "../outside")
    let entry = FileEntry(.directory, "directory")
    #expect(error { try target(.never).makeDirectory(entry) }?.code == .linkInTheWay)
    // The link is newer than the entry.
    #expect(error { try target(.older).makeDirectory(entry) }?.code == .linkInTheWay)
    try expectUntouched()
    try System.setTime(directory.path("to/directory"), 1_600_000_000)
    let inside = try target(.older).makeDirectory(entry)
    try inside.write("inside", to: "new")
    inside.finish(entry)
    #expect(try directory.names("to/directory") == ["new"])
    try expectUntouched()
  }

  /// The file is written to the moved directory, and the link in its place is not touched.
  @Test func `a directory that is replaced by a link between two calls does not lead outside`() throws {
    let target = try target(.always)
    let inside = try target.makeDirectory(FileEntry(.directory, "directory"))
    let file = try inside.makeFile(FileEntry(.regular, "file", byteCount: 3))
    try System.rename(directory.path("to/directory"), to: directory.path("to/moved"))
    try directory.link("to/directory", to: "../outside")
    try file.write([1, 2, 3].span, at: 0)
    try file.finish()
    try inside.write("other", to: "other")
    inside.finish(FileEntry(.directory, "directory", permissions: 0o700))
    #expect(try directory.names("to/moved") == ["file", "other"])
    try expectUntouched()
  }

  @Test func `returning to a directory that was replaced is refused`() throws {
    var tree = TargetTree(try target(.always), openLimit: 1)
    for name in ["a", "b", "c"] { try tree.enter(FileEntry(.directory, name)) }
    // At this point "b" is not open. Moving "c" makes its ".." another directory.
    try System.rename(directory.path("to/a/b/c"), to: directory.path("outside/c"))
    try System.rename(directory.path("to/a/b"), to: directory.path("to/b"))
    try directory.link("to/a/b", to: "../../outside")
    let failure = error { try tree.leave() }
    #expect(failure?.code == .linkInTheWay || failure?.code == .changed)
    #expect(tree.directory == nil)
    let next = error { try tree.enter(FileEntry(.directory, "x")) }
    #expect(next?.code == failure?.code && next?.path == directory.bytes("to/a/b/x"))
    // The directories further up are unchanged.
    try tree.leave()
    try tree.directory?.write("a", to: "file")
    try tree.leave()
    #expect(try directory.text(of: "to/a/file") == "a")
    #expect(try directory.names("outside") == ["c", "file"])
    #expect(try directory.names("outside/c") == [])
  }

  /// The error has the path of the directory, and does not claim that another file was there.
  @Test(.disabled(if: Sanitizer.isUsed, "a sanitizer opens files at exit"))
  func `a directory that cannot be reopened for lack of descriptors is reported with that reason`() async throws {
    let path = directory.path("to")
    await #expect(processExitsWith: .success) { [path = path as String] in
      var tree = TargetTree(try .open(Array(path.utf8)), openLimit: 1)
      for name in ["a", "b", "c"] { try tree.enter(FileEntry(.directory, name)) }
      try System.limitOpenFiles(0)
      let failure = error { try tree.leave() }
      guard failure?.code == .tooManyOpenFiles, tree.directory == nil else { exit(1) }
      try? tree.leave()
      guard let warning = tree.root.report.warnings.last, warning.operation == .setTimes,
        warning.code == .tooManyOpenFiles, warning.path == Array((path + "/a/b").utf8)
      else { exit(2) }
    }
  }

  @Test func `a hard link to a file that was replaced since its restore is not made`() throws {
    let target = try target(.always)
    let first = try target.write("first", to: "first")
    let steps = [Array("first".utf8)]
    try target.makeHardLink(FileEntry(.regular, "second"), to: steps, expecting: first)
    #expect(try directory.text(of: "to/second") == "first")
    try FileManager.default.removeItem(atPath: directory.path("to/first"))
    try System.makeHardLink(directory.path("to/first"), to: directory.path("outside/file"))
    let failure = error {
      try target.makeHardLink(FileEntry(.regular, "third"), to: steps, expecting: first)
    }
    #expect(failure?.code == .changed)
    #expect(try directory.names("to") == ["first", "second"])
  }

  /// Tests numbers with a special meaning to the system, and values that no file has.
  @Test func `fields that no file can have are refused or reported`() throws {
    let target = try target(.always)
    for nanoseconds in [1_000_000_000, 0x3FFF_FFFF, 0x3FFF_FFFE, .max] as [UInt32] {
      let time = FileTime(seconds: 0, nanoseconds: nanoseconds)
      try target.write("time", to: "time", time: time)
    }
    #expect(target.report.warnings.map(\.code) == [.badValue, .badValue, .badValue, .badValue])
    for byteCount in [-1, .min, .max] as [Int64] {
      let file = try target.makeFile(FileEntry(.regular, "size", byteCount: byteCount))
      // Some file systems allow files of the largest length.
      let code = error { try file.finish() }?.code
      #expect(code == .badValue || code == .tooLarge || (byteCount == .max && code == nil))
      #expect(error { try file.write([1].span, at: byteCount) } != nil)
      try? FileManager.default.removeItem(atPath: directory.path("to/size"))
    }
    for target in ["", "a\0b", String(repeating: "x", count: 5000)] {
      #expect(error { try self.target().makeLink(.link("link", to: target)) } != nil)
    }
    let device = FileEntry(.characterDevice(major: .max, minor: .max), "device")
    #expect(throws: Never.self) { try? target.makeSpecialFile(device) }
    var owned = FileEntry(.regular, "owned", permissions: .max)
    owned.owner = FileOwner(userID: .max, groupID: .max)
    owned.attributes = [
      ExtendedAttribute(name: [], value: []), ExtendedAttribute(name: [0], value: []),
      ExtendedAttribute(name: Array("user.x".utf8), value: [UInt8](repeating: 0, count: 1 << 20)),
      ExtendedAttribute(name: [UInt8](repeating: 0x61, count: 1 << 16), value: []),
      ExtendedAttribute(name: Array("system.posix_acl_access".utf8), value: [1]),
    ]
    let count = target.report.warningCount
    try target.makeFile(owned).finish()
    #expect(target.report.warningCount >= count + 5)
    #expect(try directory.names("to") == ["owned", "time"])
  }
}
