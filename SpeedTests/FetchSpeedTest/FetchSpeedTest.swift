import SpeedTestHarness
import SpeedTestSubjects

/// Measures opening and fetching.
@main enum FetchSpeedTest: SpeedTestProgram {
  static let name = "FetchSpeedTest"
  static let abstract = "Measure how fast stores are opened and objects fetched, compared with other databases."
  static let workloads: [any Workload] = [
    SimpleFetch(), ComplexFetch(), RandomFetch(), IndexedQuery(), SortedQuery(), Open(.cached), Open(.uncached),
    Open(.killed), NamedBufferFetch(),
  ]
  static let subjects = allSubjects

  static func main() { run() }
}
