import FoundationEssentials

/// The measurements of one repetition of one subject: one entry of the JSON array.
public struct SpeedMeasurement: Codable, Equatable, Sendable {
  public var workload: String
  public var subject: String
  /// The number of the repetition, from 1.
  public var repetition: Int
  /// The value of `--count`.
  public var count: Int
  public var wallSeconds: Double
  /// The user and system time of all threads.
  public var cpuSeconds: Double
  /// The peak of anonymous memory.
  public var peakBytes: Int
  /// The peak of resident pages of mapped files, including the program's own.
  public var peakFileBytes: Int
  /// The disk space that the files take after the database is closed.
  public var diskBytes: Int
  /// The sum of the files' sizes, shown in tables only.
  public var apparentDiskBytes: Int?
  /// The median duration of the single saves of W6.
  public var p50Microseconds: Double?
  public var p99Microseconds: Double?

  public init(
    workload: String, subject: String, repetition: Int, count: Int, wallSeconds: Double, cpuSeconds: Double,
    peakBytes: Int, peakFileBytes: Int, diskBytes: Int, apparentDiskBytes: Int? = nil,
    p50Microseconds: Double? = nil, p99Microseconds: Double? = nil
  ) {
    self.workload = workload
    self.subject = subject
    self.repetition = repetition
    self.count = count
    self.wallSeconds = wallSeconds
    self.cpuSeconds = cpuSeconds
    self.peakBytes = peakBytes
    self.peakFileBytes = peakFileBytes
    self.diskBytes = diskBytes
    self.apparentDiskBytes = apparentDiskBytes
    self.p50Microseconds = p50Microseconds
    self.p99Microseconds = p99Microseconds
  }
}

extension SpeedMeasurement {
  /// Returns the line that a child prints and its parent parses.
  func jsonLine() throws(SpeedTestError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    } catch {
      throw .failed("cannot encode a measurement: \(error)")
    }
  }

  init(jsonLine: String) throws(SpeedTestError) {
    do {
      self = try JSONDecoder().decode(SpeedMeasurement.self, from: Data(jsonLine.utf8))
    } catch {
      throw .failed("a child printed something other than a measurement: \(jsonLine)")
    }
  }
}

/// Returns the JSON array that `--json` promises: one entry a line, with documented keys only.
public func jsonArray(_ measurements: [SpeedMeasurement]) throws(SpeedTestError) -> String {
  var lines: [String] = []
  for measurement in measurements {
    var documented = measurement
    documented.apparentDiskBytes = nil
    lines.append(try documented.jsonLine())
  }
  return lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n]"
}
