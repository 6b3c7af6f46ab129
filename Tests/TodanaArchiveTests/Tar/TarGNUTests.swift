import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests that GNU tar reads our tars, and that we read its tars.
@Suite(.enabled(if: Environment.hasAllRights, Comment(rawValue: Environment.needsRoot)))
struct TarGNUTests {
  let directory: ScratchTree

  init() throws { directory = try ScratchTree.forTarring() }

  @Test func `GNU tar restores a tree with all metadata`() throws {
    let file = try TestFile(writing: directory.path("tar"))
    _ = try file.writer().add(tree: directory.bytes("from"))
    try directory.make("to")
    let command = "tar --warning=no-timestamp --xattrs --xattrs-include='*' --acls -xpf ../tar 2> ../warnings"
    try Command.run("sh", ["-c", command], in: directory.path("to"))
    // GNU tar treats names as bytes anyway. For each name that is not ASCII, it warns that it ignores this keyword.
    let text = try directory.text(of: "warnings")
    let warning = "tar: Ignoring unknown extended header keyword 'hdrcharset'\n"
    #expect(text == String(repeating: warning, count: 5))

    let from = try TreeListing(directory.bytes("from")).comparable()
    let to = try TreeListing(directory.bytes("to")).comparable()
    #expect(from.count == to.count)
    for (expected, found) in zip(from, to) where expected != found { Issue.record("\(expected) \(found)") }
    #expect(try TarTree(directory.bytes("to")).data == TarTree(directory.bytes("from")).data)
    let blocks = try Command.run("stat", ["--format=%b", directory.path("to/sparse")])
    #expect(try #require(Int(String(decoding: blocks.dropLast(), as: UTF8.self))) * 512 < 1 << 20)
  }

  private func expectEqual(_ found: TarContent, _ change: (inout TarContent.Item) -> Void) throws {
    var expected = try TarTree(directory.bytes("from")).content
    #expect(found.items.count == expected.items.count)
    for (index, item) in found.items.enumerated() {
      var found = item
      // In a tar by GNU tar every name starts with "./", and the length of links is missing.
      if found.tar.path.count > 2 { found.tar.path.removeFirst(2) }
      found.tar.hardLinkTarget?.removeFirst(2)
      found.tar.entry.attributes.sort { $0.name.lexicographicallyPrecedes($1.name) }
      expected.items[index].tar.entry.attributes.sort { $0.name.lexicographicallyPrecedes($1.name) }
      if found.tar.hardLinkTarget != nil {
        // GNU tar stores no attributes with a hard link.
        found.tar.entry.attributes = []
        expected.items[index].tar.entry.attributes = []
      }
      change(&found)
      change(&expected.items[index])
      if found != expected.items[index] { Issue.record("\(found.tar) \(expected.items[index].tar)") }
    }
  }

  @Test func `a pax tar made by GNU tar is read with all metadata`() throws {
    try Command.run(
      "tar",
      ["--format=pax", "--sort=name", "--xattrs", "--xattrs-include=*", "--acls", "-S", "-cf", "../tar", "."],
      in: directory.path("from"))
    try expectEqual(try TarContent(path: directory.path("tar"))) { item in
      item.tar.warning = nil
    }
  }

  @Test(arguments: ["gnu", "oldgnu", "posix"])
  func `tars made by GNU tar without attributes are read`(format: String) throws {
    try Command.run(
      "tar", ["--format=" + format, "--sort=name", "-S", "-cf", "../tar", "."], in: directory.path("from"))
    try expectEqual(try TarContent(path: directory.path("tar"))) { item in
      item.tar.entry.attributes = []
      item.tar.entry.changeTime = FileTime(seconds: 0)
      if format != "posix" { item.tar.entry.modificationTime.nanoseconds = 0 }
    }
  }

  @Test(arguments: [["--sparse-version=0.0"], ["--sparse-version=0.1"], ["--sparse-version=1.0"]])
  func `all sparse formats of GNU tar are read`(arguments: [String]) throws {
    let tar = ["--format=posix", "-S", "-cf", "../tar", "sparse"]
    try Command.run("tar", arguments + tar, in: directory.path("from"))
    let found = try #require(try TarContent(path: directory.path("tar"))["sparse"])
    let expected = try #require(try TarTree(directory.bytes("from")).content["sparse"])
    #expect(found == expected)
  }
}
