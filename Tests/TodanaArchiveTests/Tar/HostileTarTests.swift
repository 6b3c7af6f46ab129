import Foundation
import Glibc
import Testing

@testable import TodanaArchive

/// Tests of hostile tars: each gives an error or entries, and memory use is limited by the number of bytes.
@Suite struct HostileTarTests {
  let directory: ScratchTree

  init() throws { directory = try ScratchTree(isInMemory: true) }

  private func content(_ bytes: [UInt8]) throws -> TarContent { try Self.content(bytes, directory.path("tar")) }

  private static func content(_ bytes: [UInt8], _ path: String) throws -> TarContent {
    try Data(bytes).write(to: URL(filePath: path))
    return try TarContent(path: path)
  }

  @Test func `the reader returns paths unchanged, wherever they lead`() throws {
    var tar = HostileTar()
    tar.add("0", name: "/etc/passwd")
    tar.add("5", name: "../..//")
    tar.add("0", name: "old/")
    tar.add("5", name: "/")
    tar.add(records: [("path", "a\0b")])
    tar.add(records: [("path", "../x"), ("path", "../y")])
    tar.add(records: [("path", "")])
    tar.end()
    let found = try content(tar.bytes).items
    #expect(
      found.map { String(decoding: $0.tar.path, as: UTF8.self) } == [
        "/etc/passwd", "../..", "old", "/", "a\0b", "../y", "",
      ])
    #expect(found.map { $0.tar.entry.kind == .directory } == [false, true, true, true, false, false, false])
  }

  @Test func `an invalid owner number is read as nobody's, not as root's`() throws {
    var tar = HostileTar()
    let wide: [UInt8] = [0x80, 0, 0, 1, 0, 0, 0, 0]
    tar.add("0", fields: [108: wide, 116: wide])
    tar.add(records: [("uid", "-1"), ("gid", "4294967296")])
    tar.add(records: [("uid", "4294967294"), ("gid", "7")])
    tar.end()
    let found = try content(tar.bytes).items.map(\.tar)
    #expect(found.map(\.entry.owner.userID) == [65534, 65534, 4_294_967_294])
    #expect(found.map(\.entry.owner.groupID) == [65534, 65534, 7])
    #expect(found.map { $0.warning == nil } == [false, false, true])
  }

  @Test(arguments: ["0,9", "5,1,2,1"])
  func `data ranges out of order, or past the end, are an error`(map: String) throws {
    var tar = HostileTar()
    tar.add(
      records: [("GNU.sparse.map", map), ("GNU.sparse.size", "8")], size: "11", data: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    tar.end()
    #expect(tarError { try content(tar.bytes) } != nil)
  }

  @Test func `an entry with too many headers is an error`() throws {
    for count in [6, 12] {
      var tar = HostileTar()
      let comment = String(repeating: "c", count: 900_000)
      for _ in 0..<count {
        var records = PaxRecords()
        records.append("comment", Array(comment.utf8))
        tar.add("x", size: String(records.bytes.count, radix: 8), data: records.bytes)
      }
      tar.add(record: "path", [0xFF])
      tar.end()
      var found: TarContent?
      let failure = tarError { found = try content(tar.bytes) }
      #expect((failure == nil) == (count == 6), "\(failure as Any)")
      #expect(found.map { $0.items.map(\.tar.path) == [[0xFF]] } ?? true)
    }
  }

  /// With `errno` set to ENOMEM, libarchive mistakes a name that it cannot convert for a lack of memory.
  @Test func `an earlier error number does not affect reading or writing`() throws {
    var tar = HostileTar()
    tar.add(record: "path", [0xFF])
    tar.add(record: "linkpath", [0xFF])
    tar.end()
    try Data(tar.bytes).write(to: URL(filePath: directory.path("tar")))
    let reader = try TarReader(path: directory.bytes("tar"))
    for _ in 0..<2 {
      errno = ENOMEM
      #expect(try reader.next() != nil)
    }
    let path: [UInt8] = [0xFF]
    _ = try tarBytes { writer in
      for entry in [FileEntry(.fifo, "a"), FileEntry(.symbolicLink(target: path), "b")] {
        errno = ENOMEM
        try writer.add(TarEntry(path: path, entry: entry))
      }
    }
  }

  /// Returns tars with fields and records that claim impossible values.
  private static func hostileTars() -> [HostileTar] {
    let numbers = [
      "77777777777", "777777777777", "\u{7F}", "-1", "99999999999", "1 2", " ", "", "7777777\0",
      "9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775808",
      String(repeating: "9", count: 200), "0." + String(repeating: "9", count: 200), "1e99", "+5",
    ]
    let wide: [[UInt8]] = [
      [0x80] + [UInt8](repeating: 0xFF, count: 11), [UInt8](repeating: 0xFF, count: 12),
      [0x80, 0, 0, 0, 0x7F] + [UInt8](repeating: 0xFF, count: 7), [0xC0] + [UInt8](repeating: 0, count: 11),
    ]
    var tars: [HostileTar] = []
    func tar(_ body: (inout HostileTar) -> Void) {
      var tar = HostileTar()
      body(&tar)
      tar.add("0", name: "after", size: "3", data: [1, 2, 3])
      tar.end()
      tars.append(tar)
    }
    for kind in "01234567xgXLKSDMNVA" {
      for number in numbers.prefix(9) { tar { $0.add(kind, size: number) } }
      for field in wide { tar { $0.add(kind, fields: [124: field]) } }
      for field in wide.map({ Array($0.prefix(8)) }) {
        tar { $0.add(kind, fields: [108: field, 116: field, 329: field, 337: field, 100: field]) }
      }
      for field in wide { tar { $0.add(kind, fields: [136: field]) } }
    }
    for key in [
      "size", "uid", "gid", "mtime", "ctime", "SCHILY.devmajor", "SCHILY.devminor", "SCHILY.ino", "SCHILY.nlink",
      "GNU.sparse.realsize", "GNU.sparse.size", "GNU.sparse.numblocks", "GNU.sparse.offset", "GNU.sparse.map",
      "SCHILY.realsize", "SCHILY.acl.access", "LIBARCHIVE.creationtime", "LIBARCHIVE.xattr.user.a",
    ] {
      for number in numbers { tar { $0.add(records: [(key, number)], size: "3", data: [1, 2, 3]) } }
    }
    for count in ["1000000000", "9223372036854775807", "-1", String(repeating: "9", count: 200)] {
      for map in [
        "\(count)\n", "1\n\(count)\n5\n", "1\n0\n\(count)\n", "2\n\(count)\n\(count)\n0\n9\n", "2\n5\n9\n0\n4\n",
      ] {
        let records = [
          ("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.name", "s"),
          ("GNU.sparse.realsize", count),
        ]
        tar { $0.add(records: records, size: "2000", data: Array(map.utf8) + [UInt8](repeating: 0, count: 1000)) }
      }
      tar { $0.add(records: [("GNU.sparse.map", "0,\(count),5,\(count),\(count),1"), ("GNU.sparse.size", count)]) }
    }
    for kind in "xgLKV" {
      tar { tar in for _ in 0..<1000 { tar.add(kind, size: "11", data: Array("9 path=a\n".utf8)) } }
    }
    return tars
  }

  /// Runs in its own process, to measure memory use.
  @Test func `headers take no more memory than the tar has bytes`() async throws {
    let path = directory.path("hostile")
    await #expect(processExitsWith: .success) { [path = path as String] in
      var usage = rusage()
      let tars = Self.hostileTars()
      guard tars.count > 500 else { exit(2) }
      var (errorCount, dataCount) = (0, 0)
      unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      let before = usage.ru_maxrss
      for tar in tars {
        do {
          let content = try Self.content(tar.bytes, path)
          dataCount += content.items.reduce(0) { $0 + $1.data.count }
        } catch {
          guard (error as? ArchiveError)?.code == .tar else { exit(3) }
          errorCount += 1
        }
      }
      unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      print("\(tars.count) tars, \(errorCount) errors, \(dataCount) bytes, \(usage.ru_maxrss - before) KiB")
      guard usage.ru_maxrss - before < 64 << 10, dataCount < tars.count * 2048 else { exit(4) }
      exit(errorCount > 50 && errorCount < tars.count - 50 ? 0 : 5)
    }
  }
}
