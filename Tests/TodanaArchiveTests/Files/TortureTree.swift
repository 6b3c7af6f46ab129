import Foundation
import Glibc
import Testing

/// A tree with every kind of file and metadata.
///
/// Only root can make it.
struct TortureTree {
  let path: String
  static let deepCount = 1000
  static let sparseByteCount = 1 << 30

  private func at(_ name: String) -> String { path + "/" + name }

  func make() throws {
    try System.makeDirectory(path, 0o755)
    try makeSpecialPermissions()
    try makeTimes()
    try makeLinks()
    try makeSparseFile()
    try makeSpecialFiles()
    try makeAttributes()
    try makeNames()
    try makeDeepDirectories()
    try System.makeDirectory(at("empty"), 0o711)
    try System.makeDirectory(at("closed"), 0o700)
    try write("in a closed directory", to: "closed/file")
    try System.setPermissions(at("closed"), 0)
    try System.setTime(at("."), 1_000_000_000, 1)
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: at(name)))
  }

  private func makeSpecialPermissions() throws {
    for (name, permissions) in [
      ("setuid", 0o4755), ("setgid", 0o2711), ("both", 0o6777), ("sticky", 0o1644), ("none", 0), ("all", 0o777),
    ] as [(String, mode_t)] {
      try write(name, to: name)
      try System.setOwner(at(name), 1234, 4321)
      try System.setPermissions(at(name), permissions)
      try System.makeDirectory(at("d-" + name), 0o700)
      try write(name, to: "d-\(name)/inside")
      try System.setOwner(at("d-" + name), 54321, 7)
      try System.setPermissions(at("d-" + name), permissions)
      try System.setTime(at("d-" + name), 1_234_567_890, 987_654_321)
    }
  }

  private func makeTimes() throws {
    for (name, seconds, nanoseconds) in [
      ("epoch", 0, 0), ("before", -1, 1), ("long-before", -1_000_000_000, 999_999_999),
      ("late", 4_102_444_800, 123_456_789),
    ] {
      try write(name, to: "time-" + name)
      try System.setTime(at("time-" + name), seconds, nanoseconds)
    }
  }

  private func makeLinks() throws {
    try System.makeLink(at("link"), to: "../nowhere/../etc")
    try System.setOwner(at("link"), 11, 12)
    try System.setTime(at("link"), -5, 5)
    try System.makeLink(at("long-link"), to: String(repeating: "x/", count: 2000))
    try write("one file, three names", to: "hard-a")
    try System.makeHardLink(at("hard-b"), to: at("hard-a"))
    try System.makeDirectory(at("z"), 0o755)
    try System.makeHardLink(at("z/hard-c"), to: at("hard-a"))
    try System.makeHardLink(at("z/same-link"), to: at("link"))
  }

  private func makeSparseFile() throws {
    let data = Array("data!".utf8)
    let last = Self.sparseByteCount - 4097
    try System.makeSparseFile(
      at("sparse"), byteCount: Self.sparseByteCount, data: [0: data, 300 << 20: data, last: data])
  }

  private func makeSpecialFiles() throws {
    try System.makeNode(at("fifo"), S_IFIFO | 0o620)
    try System.setOwner(at("fifo"), 3, 4)
    try System.setTime(at("fifo"), 77, 88)
    try System.makeNode(at("null"), S_IFCHR | 0o666, 1 << 8 | 3)
    try System.makeNode(at("block"), S_IFBLK | 0o600, 7 << 8 | 200)
    try System.setTime(at("block"), 99, 1)
  }

  private func makeAttributes() throws {
    try write("attributes", to: "attributes")
    try set("user.empty", [], "attributes")
    try set("user.bytes", [0, 255, 10, 0], "attributes")
    try set("user.long", [UInt8](repeating: 7, count: 2000), "attributes")
    try set("user." + String(repeating: "n", count: 250), [1], "attributes")
    try write("read-only with an attribute", to: "read-only")
    try set("user.note", [1, 2, 3], "read-only")
    try System.setPermissions(at("read-only"), 0o444)
    // The access control list has version 2, and entries of tag, permissions and id: owner rw-, user 1000 r--, group
    // r--, mask r--, others ---.
    try write("access control list", to: "acl")
    try set("system.posix_acl_access", Self.accessControlList, "acl")
    try System.makeDirectory(at("acl-directory"), 0o755)
    // The files in this directory have no list of their own. When they are restored, they would inherit the directory's
    // default list.
    try write("plain", to: "acl-directory/plain")
    try System.makeDirectory(at("acl-directory/plain-directory"), 0o755)
    try set("system.posix_acl_default", Self.accessControlList, "acl-directory")
    // The attribute value has revision 2, with cap_net_bind_service permitted and effective.
    try write("capability", to: "capability")
    try System.setOwner(at("capability"), 5, 5)
    try System.setPermissions(at("capability"), 0o755)
    try set("security.capability", [1, 0, 0, 2, 0, 4, 0, 0] + [UInt8](repeating: 0, count: 12), "capability")
    try set("trusted.of-link", [4], "link")
  }

  static let accessControlList: [UInt8] =
    [2, 0, 0, 0] + [1, 0, 6, 0, 255, 255, 255, 255] + [2, 0, 4, 0, 232, 3, 0, 0] + [4, 0, 4, 0, 255, 255, 255, 255]
    + [16, 0, 4, 0, 255, 255, 255, 255] + [32, 0, 0, 0, 255, 255, 255, 255]

  private func set(_ attribute: String, _ value: [UInt8], _ name: String) throws {
    try System.setAttribute(attribute, value, path, name)
  }

  private func makeNames() throws {
    try System.makeDirectory(at("names"), 0o755)
    let names: [[UInt8]] = [
      [0xFF, 0xFE], Array("new\nline".utf8), Array(" ".utf8), Array("-rf".utf8), Array("\u{1B}[31m".utf8),
      [UInt8](repeating: 0x61, count: 255), [UInt8](repeating: 0xE9, count: 255), Array("*".utf8), [0xC3],
      Array("é".utf8), Array("e\u{301}".utf8), Array("...".utf8), Array("back\\slash".utf8),
    ]
    for name in names { try System.makeFile(Array(at("names/").utf8) + name) }
  }

  private func makeDeepDirectories() throws {
    try System.makeDeepDirectories(at("deep"), count: Self.deepCount, name: "level-of-a-deep-tree")
  }
}
