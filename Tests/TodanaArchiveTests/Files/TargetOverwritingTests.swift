import Foundation
import Glibc
import Testing

@testable import TodanaArchive

/// Tests of files that already exist in the target.
@Suite struct TargetOverwritingTests {
  let directory: ScratchTree

  init() throws {
    directory = try ScratchTree()
    try directory.make("to")
  }

  private func target(_ overwriting: RestoreOptions.Overwriting) throws -> TargetDirectory {
    try .open(directory.bytes("to"), overwriting)
  }

  private func entry(_ name: String, _ seconds: Int64, byteCount: Int64 = 3) -> FileEntry {
    FileEntry(.regular, name, time: FileTime(seconds: seconds, nanoseconds: 5), byteCount: byteCount)
  }

  @Test(arguments: [(-1, Placement.keeps), (0, .keeps), (1, .replaces)])
  func `each overwriting policy treats an existing file as documented`(later: Int, byOlder: Placement) throws {
    try directory.write("there", to: "to/name")
    try System.setTime(directory.path("to/name"), 1_700_000_000, 5)
    let entry = entry("name", 1_700_000_000 + Int64(later))
    #expect(try target(.never).placement(of: entry) == .keeps)
    #expect(try target(.older).placement(of: entry) == byOlder)
    #expect(try target(.always).placement(of: entry) == .replaces)
    #expect(try target(.never).placement(of: self.entry("other", 0)) == .isNew)

    for overwriting in [RestoreOptions.Overwriting.never, .older] {
      let file = try target(overwriting).makeFile(entry)
      try file.write([0x61, 0x62, 0x63].span, at: 0)
      let code = error { try file.finish() }?.code
      let isKept = overwriting == .never || byOlder == .keeps
      #expect(code == (isKept ? .exists : nil))
      #expect(try directory.text(of: "to/name") == (isKept ? "there" : "abc"))
    }
    try target(.always).write("always", to: "name")
    #expect(try directory.text(of: "to/name") == "always")
    #expect(try directory.names("to") == ["name"])
  }

  @Test func `an existing file is up to date if its kind, size and time match`() throws {
    let target = try target(.always)
    try target.write("abc", to: "name", time: FileTime(seconds: -7, nanoseconds: 5))
    #expect(try target.isRight(entry("name", -7)))
    #expect(try target.placement(of: entry("name", -7)) == .comparesContent)
    for (overwriting, placement) in [(RestoreOptions.Overwriting.never, Placement.isRight), (.older, .isRight)] {
      #expect(try self.target(overwriting).placement(of: entry("name", -7)) == placement)
    }
    #expect(try self.target(.metadata).placement(of: entry("name", -7)) == .setsMetadata)
    #expect(try self.target(.metadata).placement(of: entry("name", -8)) == .setsOtherMetadata)
    #expect(try !target.isRight(entry("name", -7, byteCount: 4)))
    #expect(try !target.isRight(entry("name", -8)))
    #expect(try !target.isRight(entry("missing", -7)))
    #expect(try !target.isRight(FileEntry(.fifo, "name", time: FileTime(seconds: -7, nanoseconds: 5))))

    try target.makeLink(.link("link", to: "a"))
    #expect(try target.isRight(.link("link", to: "a")))
    #expect(try !target.isRight(.link("link", to: "b")))
    #expect(try !target.isRight(.link("link", to: "a", time: FileTime(seconds: 3))))
    _ = try target.makeDirectory(FileEntry(.directory, "directory"))
    #expect(try target.isRight(FileEntry(.directory, "directory", time: FileTime(seconds: 3))))
  }

  @Test(arguments: [FileKind.regular, .symbolicLink(target: [0x78]), .fifo])
  func `a file of another kind replaces a directory only if it is empty`(kind: FileKind) throws {
    try directory.make("to/name")
    try directory.write("inside", to: "to/name/file")
    let target = try target(.always)
    let entry = FileEntry(kind, "name")
    func make() -> FileError? {
      error {
        switch kind {
        case .regular: _ = try target.makeFile(entry).finish()
        case .fifo: _ = try target.makeSpecialFile(entry)
        default: _ = try target.makeLink(entry)
        }
      }
    }
    #expect(make()?.code == .exists)
    #expect(try directory.text(of: "to/name/file") == "inside")
    #expect(try directory.names("to") == ["name"])
    try FileManager.default.removeItem(atPath: directory.path("to/name/file"))
    #expect(make() == nil)
    #expect(try target.existing(Array("name".utf8))?.kind == kind)
  }

  @Test func `a directory replaces an existing file if the options allow it`() throws {
    try directory.write("there", to: "to/name")
    let entry = FileEntry(.directory, "name")
    #expect(error { try target(.never).makeDirectory(entry) }?.code == .notADirectory)
    try target(.always).makeDirectory(entry).write("inside", to: "file")
    #expect(try directory.text(of: "to/name/file") == "inside")
  }

  /// An existing directory keeps its own entries, in addition to the restored ones.
  @Test func `an existing directory gets its entry's metadata if the options allow it`() throws {
    let expectations: [(RestoreOptions.Overwriting, Int)] = [
      (.never, 0o755), (.older, 0o711), (.always, 0o711), (.metadata, 0o711),
    ]
    for (overwriting, expected) in expectations {
      let name = "\(overwriting)"
      try directory.make("to/\(name)")
      try directory.write("there", to: "to/\(name)/there")
      try System.setPermissions(directory.path("to/\(name)"), 0o755)
      try System.setTime(directory.path("to/\(name)"), 1_600_000_000)
      let entry = FileEntry(.directory, name, permissions: 0o711)
      let inside = try target(overwriting).makeDirectory(entry)
      try inside.write("new", to: "new")
      inside.finish(entry)
      let found = try #require(try target(.never).existing(Array(name.utf8)))
      #expect(found.permissions == UInt16(expected))
      #expect(overwriting == .never || found.modificationTime == entry.modificationTime)
      #expect(inside.report.keptDirectoryCount == (overwriting == .never ? 1 : 0))
      #expect(inside.report.updatedDirectoryCount == (overwriting == .never ? 0 : 1))
      #expect(try directory.names("to/\(name)") == ["new", "there"])
    }
  }

  /// Covers the default ACL that a directory passes to new files, and the earlier attributes of the directory itself.
  @Test func `attributes that an entry does not have are removed`() throws {
    let list = ExtendedAttribute(
      name: Array("system.posix_acl_access".utf8), value: TortureTree.accessControlList)
    try directory.make("to/inside")
    try System.setAttribute("system.posix_acl_default", list.value, directory.path("to"), "inside")
    try System.setAttribute("user.before", [1], directory.path("to"), "inside")
    let entry = FileEntry(.directory, "inside", attributes: [ExtendedAttribute(name: Array("user.x".utf8), value: [2])])
    let inside = try target(.always).makeDirectory(entry)
    try inside.write("plain", to: "plain")
    try inside.makeFile(FileEntry(.regular, "list", permissions: 0o640, attributes: [list])).finish()
    #expect(try inside.existing(Array("plain".utf8))?.attributes == [])
    #expect(try inside.existing(Array("plain".utf8))?.permissions == 0o644)
    #expect(try inside.existing(Array("list".utf8))?.attributes == [list])
    inside.finish(entry)
    #expect(try target(.never).existing(entry.name)?.attributes == entry.attributes)
    #expect(inside.report.warnings == [])
  }

  /// Renaming one name of a file to another name of the same file does nothing, so the temporary name would remain.
  @Test func `an existing hard link is left as it is`() throws {
    let target = try target(.always)
    let first = try target.write("first", to: "first")
    for _ in 0..<2 {
      try target.makeHardLink(FileEntry(.regular, "second"), to: [Array("first".utf8)], expecting: first)
    }
    #expect(try directory.names("to") == ["first", "second"])
  }
}
