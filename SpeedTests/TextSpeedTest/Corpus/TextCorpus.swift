import Foundation
import SpeedTestHarness

/// A file of texts, one a line.
struct TextCorpus {
  let path: String
  /// The source of the texts, for the heading of the report.
  let origin: String
  var count = 0
  var byteCount = 0
  /// The number of texts with characters that are not ASCII.
  var otherCount = 0

  var summary: String {
    let megabytes = decimal(Double(byteCount) / 1e6, places: 1)
    return "\(grouped(count)) texts, \(megabytes) MB, \(grouped(otherCount)) of them not ASCII (\(origin))"
  }
}

/// Calls `body` with the bytes of each line of a file, until it returns false.
func forEachLine(of path: String, _ body: (ArraySlice<UInt8>) throws -> Bool) throws {
  guard let file = FileHandle(forReadingAtPath: path) else { throw SpeedTestError.wrongUse("cannot read \(path)") }
  defer { try? file.close() }
  var bytes: [UInt8] = []
  while let chunk = try file.read(upToCount: 1 << 20), !chunk.isEmpty {
    bytes += chunk
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      guard try body(bytes[start..<end]) else { return }
      start = end + 1
    }
    bytes.removeFirst(start)
  }
  if !bytes.isEmpty { _ = try body(bytes[...]) }
}

/// Calls `body` with each of the first texts of a file and its number, from 1.
func forEachText(of path: String, count: Int, _ body: (_ number: Int, _ text: String) throws -> Void) throws {
  var number = 0
  guard count > 0 else { return }
  try forEachLine(of: path) { line in
    number += 1
    try body(number, String(decoding: line, as: UTF8.self))
    return number < count
  }
}
