import SpeedTestHarness

/// Measures collections of documents, compared with SQLite's functions for JSON.
@main enum DocumentSpeedTest: SpeedTestProgram {
  static let name = "DocumentSpeedTest"
  static let abstract = "Measure how fast documents are inserted and found, compared with JSON in SQLite."
  static let workloads: [any Workload] = [
    InsertDocuments(isIndexed: false), InsertDocuments(isIndexed: true), GetDocuments(), EqualDocuments(),
    DocumentsInRanges(), IndexEverything(), FindAnyValue(),
  ]
  static let subjects: [any Subject] = [TodanaDocumentSubject(), GRDBDocumentSubject()]

  static func main() { run() }
}
