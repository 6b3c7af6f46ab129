import CUnicode
import Foundation
import TestSupport
import Testing

/// The test files of the Unicode Character Database, which Debian's package unicode-data has.
@Suite struct UnicodeConformanceTests {
  private static let directory = "/usr/share/unicode"

  /// Returns the lines of a test file, without comments; cancels the test if it is of another version of Unicode.
  private func lines(_ name: String) throws -> [Substring] {
    let path = "\(Self.directory)/\(name)"
    let text: String
    if name.hasSuffix(".bz2") {
      let child = try ChildProcess(
        executable: "/usr/bin/python3",
        ["-c", "import bz2, sys; sys.stdout.buffer.write(bz2.open(sys.argv[1]).read())", path])
      text = child.remainingLines().joined(separator: "\n")
    } else {
      text = try String(contentsOfFile: path, encoding: .utf8)
    }
    let all = text.split(separator: "\n")
    // Such as "# WordBreakTest-15.0.0.txt".
    let version = "-\(tdu_unicode_version() / 10).\(tdu_unicode_version() % 10).0"
    guard try #require(all.first).contains(version) else {
      try Test.cancel("\(path) is of another version of Unicode than the tables")
    }
    return all.compactMap { line in
      let content = line.prefix { $0 != "#" }
      return content.allSatisfy(\.isWhitespace) || content.hasPrefix("@") ? nil : content
    }
  }

  private func text(_ codes: Substring) throws -> String {
    var text = String.UnicodeScalarView()
    for code in codes.split(separator: " ") {
      text.append(try #require(UInt32(code, radix: 16).flatMap(Unicode.Scalar.init)))
    }
    return String(text)
  }

  @Test func `words end where WordBreakTest says`() throws {
    let lines = try lines("auxiliary/WordBreakTest.txt")
    #expect(lines.count > 1_800)
    for line in lines {
      var bytes: [UInt8] = []
      var expected: [UInt32] = []
      for part in line.split(whereSeparator: \.isWhitespace) {
        switch part {
        case "÷": if !bytes.isEmpty { expected.append(UInt32(bytes.count)) }
        case "×": break
        default: bytes += Array(try text(part).utf8)
        }
      }
      var ends = [UInt32](repeating: 0, count: bytes.count)
      let count = unsafe tdu_segment_ends(bytes, bytes.count, &ends)
      try #require(Array(ends[..<count]) == expected, "\(line)")
    }
  }

  @Test func `texts are composed as NormalizationTest says`() throws {
    let lines = try lines("NormalizationTest.txt.bz2")
    #expect(lines.count > 19_000)
    for line in lines {
      let columns = try line.split(separator: ";").prefix(5).map { try text($0) }
      try #require(columns.count == 5)
      for (source, composed) in [(0, 1), (1, 1), (2, 1), (3, 3), (4, 3)] {
        let bytes = Array(columns[source].utf8)
        var output = [UInt8](repeating: 0, count: 3 * bytes.count + 16)
        let count = unsafe tdu_compose(bytes, bytes.count, &output, output.count)
        try #require(Array(output[..<count]) == Array(columns[composed].utf8), "\(line)")
      }
    }
  }
}
