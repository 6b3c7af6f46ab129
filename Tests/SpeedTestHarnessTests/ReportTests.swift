import Foundation
import SpeedTestHarness
import Testing

private func measurement(
  _ subject: String, repetition: Int = 1, wall: Double = 1, cpu: Double = 1, p50: Double? = nil
) -> SpeedMeasurement {
  SpeedMeasurement(
    workload: "W1", subject: subject, repetition: repetition, count: 1_000, wallSeconds: wall, cpuSeconds: cpu,
    peakBytes: 2_500_000, peakFileBytes: 1_000_000, diskBytes: 4_096, apparentDiskBytes: 100, p50Microseconds: p50,
    p99Microseconds: p50)
}

@Suite struct ReportTests {
  @Test func `a table compares medians with Todana's`() {
    let table = reportTable([
      measurement("todana", repetition: 1, cpu: 2), measurement("raw", repetition: 1, cpu: 1),
      measurement("todana", repetition: 2, cpu: 4), measurement("raw", repetition: 2, cpu: 1),
      measurement("todana", repetition: 3, cpu: 3), measurement("raw", repetition: 3, cpu: 1),
    ])
    let lines = table.split(separator: "\n").map { $0.split(separator: "  ", omittingEmptySubsequences: true) }
    #expect(lines.count == 3)
    #expect(lines[1].first == "todana")
    #expect(lines[1].contains { $0.contains("3.00 s (2.00–4.00)") })
    #expect(lines[2].first == "raw")
    #expect(lines[2].contains { $0.contains("0.33") })
    #expect(!table.contains("p50"))
  }

  @Test func `a table without Todana's results has no comparison`() {
    let table = reportTable([measurement("raw", p50: 62)])
    #expect(table.contains("–"))
    #expect(table.contains("62 µs"))
  }

  @Test func `columns have equal widths`() {
    #expect(aligned([["a", "bb"], ["ccc", "d"]]) == "a    bb\nccc   d")
  }

  @Test(arguments: [(0.0, 2, "0.00"), (1.005, 0, "1"), (1.239, 2, "1.24"), (-0.5, 1, "-0.5"), (12.06, 1, "12.1")])
  func `numbers are rounded`(value: Double, places: Int, expected: String) {
    #expect(decimal(value, places: places) == expected)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_000_000, "1,000,000"), (-1_234, "-1,234")])
  func `digits are grouped`(value: Int, expected: String) {
    #expect(grouped(value) == expected)
  }
}

@Suite struct MeasurementTests {
  @Test func `JSON has the documented keys and no others`() throws {
    let text = try jsonArray([measurement("todana"), measurement("raw", p50: 7)])
    let array = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    let keys: Set = [
      "workload", "subject", "repetition", "count", "wallSeconds", "cpuSeconds", "peakBytes", "peakFileBytes",
      "diskBytes",
    ]
    try #require(array.count == 2)
    #expect(Set(array[0].keys) == keys)
    #expect(Set(array[1].keys) == keys.union(["p50Microseconds", "p99Microseconds"]))
    #expect(array[0]["subject"] as? String == "todana")
    #expect(array[0]["peakBytes"] as? Int == 2_500_000)
  }

  @Test func `no results are an empty array`() throws {
    #expect(try jsonArray([]) == "[]")
  }

  @Test func `the file system of a path is that of the longest matching mount point`() {
    let mounts = "/dev/a / ext4 rw 0 0\ntmpfs /run tmpfs rw 0 0\n/dev/b /run/disk xfs rw 0 0\n"
    #expect(fileSystemKind(of: "/home/x", mounts: mounts) == "ext4")
    #expect(fileSystemKind(of: "/run", mounts: mounts) == "tmpfs")
    #expect(fileSystemKind(of: "/runner", mounts: mounts) == "ext4")
    #expect(fileSystemKind(of: "/run/disk/y", mounts: mounts) == "xfs")
  }
}
