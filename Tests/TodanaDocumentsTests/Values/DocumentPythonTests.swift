import Foundation
import TestSupport
import Testing
import TodanaDocuments

// Python's module json is an independent reader and writer of JSON, with exact integers and shortest texts of numbers.
@Suite struct DocumentPythonTests {
  /// Reads a line of JSON after another, and writes each value again in two ways.
  private static let program = """
    import json, sys
    with open(sys.argv[1], encoding="utf-8", newline="\\n") as source:
        for line in source:
            value = json.loads(line)
            print(json.dumps(value))
            sys.stdout.buffer.flush()
            print(json.dumps(value, ensure_ascii=False, indent=None, separators=(",", ":")))
    """

  @Test(
    .enabled(if: Command.isInstalled("python3"), "needs Python 3"), arguments: RandomSeeds.seeds([1], new: 1, long: 50))
  func `Python reads and writes JSON with equal values`(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var random = RandomValues(generator: SeededGenerator(seed: seed))
    let values = (0..<500).map { _ in random.value(depth: 4) }
    let lines = try values.map { try $0.json() }.joined(separator: "\n")
    try Data(lines.utf8).write(to: URL(filePath: directory.path("values")))
    let output = try Command.run("python3", ["-X", "utf8", "-c", Self.program, directory.path("values")])
    let copies = output.split(separator: UInt8(ascii: "\n"))
    try #require(copies.count == 2 * values.count)
    for (number, line) in copies.enumerated() {
      let copy = try DocumentValue(json: Data(line))
      let value = values[number / 2]
      #expect(copy == value)
      if try !value.json().contains("NaN") { #expect(try isIdentical(copy, value)) }
    }
  }
}
