import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests that bsdtar (of libarchive) reads our tars, and that we read its tars.
@Suite(.enabled(if: Environment.hasAllRights, Comment(rawValue: Environment.needsRoot)))
struct TarBsdtarTests {
  let directory: ScratchTree

  init() throws { directory = try ScratchTree.forTarring() }

  /// Removes known differences: bsdtar treats fractions of times before 1970, and "%" in attribute names, differently.
  private static func asBsdtarHasIt(_ entry: inout FileEntry) {
    if entry.modificationTime < FileTime(seconds: 1) { entry.modificationTime = FileTime(seconds: 0) }
    entry.attributes.removeAll { $0.name.starts(with: Array("user.a".utf8)) }
    entry.attributes.sort { $0.name.lexicographicallyPrecedes($1.name) }
  }

  @Test(.enabled(if: Command.isInstalled("bsdtar")))
  func `bsdtar restores a tree`() throws {
    let file = try TestFile(writing: directory.path("tar"))
    _ = try file.writer().add(tree: directory.bytes("from"))
    try directory.make("to")
    try Command.run(
      "env", ["bsdtar", "--acls", "--xattrs", "--numeric-owner", "-xpf", "../tar"],
      in: directory.path("to"))
    let from = try TreeListing(directory.bytes("from")).comparable()
    let to = try TreeListing(directory.bytes("to")).comparable()
    #expect(from.count == to.count)
    // bsdtar does not set the time of the top directory, not even from its own tars.
    for var (expected, found) in zip(from, to).dropFirst() {
      Self.asBsdtarHasIt(&expected.entry)
      Self.asBsdtarHasIt(&found.entry)
      if expected != found { Issue.record("\(expected) \(found)") }
    }
    #expect(try TarTree(directory.bytes("to")).data == TarTree(directory.bytes("from")).data)
  }

  @Test(.enabled(if: Command.isInstalled("bsdtar")), arguments: ["pax", "gnutar"])
  func `a tar made by bsdtar is read`(format: String) throws {
    try Command.run(
      "env",
      ["LC_ALL=C.UTF-8", "bsdtar", "--format=" + format, "--acls", "--xattrs", "-cf", "../tar", "."],
      in: directory.path("from"))
    var expected: [[UInt8]: TarContent.Item] = [:]
    for item in try TarTree(directory.bytes("from")).content.items { expected[item.tar.path] = item }
    let found = try TarContent(path: directory.path("tar"))
    #expect(found.items.count == expected.count)
    // bsdtar visits directories in another order, so the first name of a file may differ.
    for var item in found.items where item.tar.hardLinkTarget == nil {
      if item.tar.path.count > 2 { item.tar.path.removeFirst(2) }
      guard var known = expected[item.tar.path], known.tar.hardLinkTarget == nil else { continue }
      if format == "gnutar" {
        (item.tar.entry.attributes, known.tar.entry.attributes) = ([], [])
        known.tar.entry.modificationTime.nanoseconds = 0
        known.tar.entry.changeTime = FileTime(seconds: 0)
        // In this format, bsdtar writes no sparse files and no times before 1970.
        if known.tar.dataRanges != nil || known.tar.entry.modificationTime < FileTime(seconds: 0) { continue }
        // In this format, bsdtar writes no ACLs either, so the group permissions differ.
        if known.tar.path == Array("acl".utf8) { continue }
      }
      Self.asBsdtarHasIt(&item.tar.entry)
      Self.asBsdtarHasIt(&known.tar.entry)
      item.tar.entry.changeTime = known.tar.entry.changeTime
      if item != known { Issue.record("\(item.tar) \(known.tar)") }
    }
  }
}
