import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests that Python's tarfile reads our tars, and that we read its tars.
@Suite(.enabled(if: Environment.hasAllRights, Comment(rawValue: Environment.needsRoot)))
struct TarPythonTests {
  let directory: ScratchTree

  init() throws { directory = try ScratchTree.forTarring() }

  /// A Python program that prints a line for each entry: name, kind, numbers, time, attributes, data.
  private static let listing = """
    import sys, tarfile
    with tarfile.open(sys.argv[1], errors="surrogateescape") as tar:
      for item in tar:
        name = item.name.encode("utf-8", "surrogateescape").hex()
        target = item.linkname.encode("utf-8", "surrogateescape").hex()
        data = tar.extractfile(item).read(4096 << 10).rstrip(b"\\0").hex() if item.isreg() else ""
        print(name, item.type.decode(), item.mode, item.uid, item.gid, item.size, item.devmajor, item.devminor,
              item.pax_headers.get("mtime"), "t" + target, "d" + data[:200])
    """

  @Test(.enabled(if: Command.isInstalled("python3")))
  func `Python reads a tree`() throws {
    let file = try TestFile(writing: directory.path("tar"))
    let expected = try file.writer().add(tree: directory.bytes("from"))
    let output = try Command.run("python3", ["-c", Self.listing, directory.path("tar")])
    let lines = output.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.count == expected.items.count)
    for (line, item) in zip(lines, expected.items) { #expect(line == Self.line(item)) }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func line(_ item: TarContent.Item) -> String {
    let entry = item.tar.entry
    var (kind, target, devices) = ("0", item.tar.hardLinkTarget ?? [], "0 0")
    switch entry.kind {
    case _ where item.tar.hardLinkTarget != nil: kind = "1"
    case .symbolicLink(let path): (kind, target) = ("2", path)
    case .characterDevice(let major, let minor): (kind, devices) = ("3", "\(major) \(minor)")
    case .blockDevice(let major, let minor): (kind, devices) = ("4", "\(major) \(minor)")
    case .directory: kind = "5"
    case .fifo: kind = "6"
    default: kind = "0"
    }
    var data = item.data
    // The program reads only the start of the sparse file.
    if let first = item.tar.dataRanges?.first { data = Array(data[..<Int(first.upperBound - first.lowerBound)]) }
    while data.last == 0 { data.removeLast() }
    return [
      hexadecimal(item.tar.path), kind, "\(entry.permissions) \(entry.owner.userID) \(entry.owner.groupID)",
      "\(entry.byteCount) \(devices)", String(decoding: PaxTime.text(of: entry.modificationTime), as: UTF8.self),
      "t" + hexadecimal(target), "d" + hexadecimal(data).prefix(200),
    ].joined(separator: " ")
  }

  @Test(.enabled(if: Command.isInstalled("python3")))
  func `Python's tars are read, with names of any bytes`() throws {
    let program = """
      import io, sys, tarfile
      for format, path in ((tarfile.PAX_FORMAT, "pax"), (tarfile.GNU_FORMAT, "gnu"), (tarfile.USTAR_FORMAT, "ustar")):
        with tarfile.open(sys.argv[1] + path, "w", format=format, errors="surrogateescape") as tar:
          for name in (b"\\xff\\xfe", "é".encode(), "e\\u0301".encode(), b"long/" * (15 if path == "ustar" else 900) + b"\\xe9"):
            item = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
            item.size, item.mtime, item.uname = 3, -1.5 if path == "pax" else 5, item.name[-9:]
            tar.addfile(item, io.BytesIO(b"abc"))
      """
    try Command.run("python3", ["-c", program, directory.path("")])
    for (format, count) in [("pax", 900), ("gnu", 900), ("ustar", 15)] {
      let names: [[UInt8]] = [
        [0xFF, 0xFE], Array("é".utf8), Array("e\u{301}".utf8),
        Array(String(repeating: "long/", count: count).utf8) + [0xE9],
      ]
      let found = try TarContent(path: directory.path(format))
      #expect(found.items.map(\.tar.path) == names)
      for item in found.items {
        #expect(item.data == Array("abc".utf8) && item.tar.warning == nil)
        #expect(item.tar.entry.owner.userName?.last == item.tar.path.last)
        let time = FileTime(seconds: -2, nanoseconds: 500_000_000)
        #expect(item.tar.entry.modificationTime == (format == "pax" ? time : FileTime(seconds: 5)))
      }
    }
  }
}
