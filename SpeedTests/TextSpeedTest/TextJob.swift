import Foundation
import SpeedTestHarness

/// The work of one child process: a phase of a subject.
///
/// It is passed as a file of JSON, also to the peers in Python.
struct TextJob: Codable, Sendable {
  enum Phase: String, Codable { case build, search, save }

  /// The first argument of a child process, before the path of the file.
  static let word = "run-phase"

  var phase: Phase
  var subject: String
  /// The directory of the database.
  var directory: String
  /// The file of texts, one a line.
  var corpus: String
  /// The number of texts of the subject, at most those of the file.
  var count: Int
  var queries: [TextQuery] = []
  var repetitions = 1
  var topRepetitions = 1
  var secondsPerQuery = 0.0
  var saves = 0
  var secondsOfSaves = 0.0
  /// The number of texts of subjects that have only some.
  var scaledCount = 0

  /// Reads the file of a job.
  init(path: String) throws {
    self = try JSONDecoder().decode(TextJob.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  init(_ phase: Phase, of subject: String, in directory: String, corpus: String, count: Int) {
    (self.phase, self.subject, self.directory, self.corpus, self.count) = (phase, subject, directory, corpus, count)
  }

  func write(to path: String) throws {
    try JSONEncoder().encode(self).write(to: URL(fileURLWithPath: path))
  }
}

/// A line that a child process prints: the result of a phase, or of one query.
struct TextOutcome: Codable, Sendable {
  /// The id of the query; nil for the whole phase.
  var query: String?
  /// The name and version of the subject's library.
  var version: String?
  var wallSeconds: [Double] = []
  var cpuSeconds: [Double] = []
  /// The number of texts that the query finds, without its limit.
  var hitCount: Int?
  /// The number of them among the first texts.
  var scaledHitCount: Int?
  /// The numbers of the most relevant texts, from 1.
  var rows: [Int]?
  /// The number of bytes of all texts that were fetched in one run.
  var fetchedByteCount: Int?
  /// Whether the subject reads all texts, as it has no index for the query.
  var readsAll: Bool?
  /// Whether the subject cannot answer the query.
  var isUnsupported: Bool?
  /// The number of bytes that the texts take in the file without the index.
  var rowByteCount: Int?
  /// The number of bytes that one save writes to the log, on average.
  var logByteCount: Double?
  /// The error that ended the query.
  var error: String?
}
