import FoundationEssentials
import SpeedTestHarness

/// The result of one part of a subject: one entry of the JSON array.
struct TextMeasurement: Codable {
  enum Part: String, Codable { case build, query, save }

  var part: Part
  var subject: String
  /// The id of the query.
  var query: String?
  /// The number of texts in the database.
  var count: Int
  var version: String?
  /// The median.
  var wallSeconds: Double?
  var p99WallSeconds: Double?
  /// The median of the user and system time of all threads.
  var cpuSeconds: Double?
  var p99CPUSeconds: Double?
  /// The number of runs.
  var repetitions = 0
  var hitCount: Int?
  var scaledHitCount: Int?
  var rows: [Int]?
  var fetchedByteCount: Int?
  var readsAll: Bool?
  var isUnsupported: Bool?
  /// The peak of anonymous memory of the process.
  var peakBytes: Int?
  /// The peak of resident pages of mapped files, including the program's own.
  var peakFileBytes: Int?
  /// The disk space that the files take after the database is closed.
  var diskBytes: Int?
  /// The disk space that the texts take without the index.
  var rowBytes: Int?
  var logBytesPerSave: Double?
  var error: String?

  init(_ part: Part, of subject: String, count: Int, _ outcome: TextOutcome) {
    self.part = part
    self.subject = subject
    self.count = count
    query = outcome.query
    version = outcome.version
    wallSeconds = Spread(outcome.wallSeconds)?.median
    p99WallSeconds = percentile(0.99, of: outcome.wallSeconds)
    cpuSeconds = Spread(outcome.cpuSeconds)?.median
    p99CPUSeconds = percentile(0.99, of: outcome.cpuSeconds)
    repetitions = outcome.wallSeconds.count
    hitCount = outcome.hitCount
    scaledHitCount = outcome.scaledHitCount
    rows = outcome.rows
    fetchedByteCount = outcome.fetchedByteCount
    readsAll = outcome.readsAll
    isUnsupported = outcome.isUnsupported
    rowBytes = outcome.rowByteCount
    logBytesPerSave = outcome.logByteCount
    error = outcome.error
  }
}

/// Returns a JSON array with one measurement a line.
func jsonArray(_ measurements: [TextMeasurement]) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  let lines = try measurements.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
  return lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n]"
}
