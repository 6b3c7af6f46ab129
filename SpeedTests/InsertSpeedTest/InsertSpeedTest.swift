import SpeedTestHarness
import SpeedTestSubjects

/// Measures creating, changing and saving.
@main enum InsertSpeedTest: SpeedTestProgram {
  static let name = "InsertSpeedTest"
  static let abstract = "Measure how fast objects are created, changed and saved, compared with other databases."
  static let workloads: [any Workload] = [
    SimpleInsert(), ComplexInsert(), SimpleUpdate(), SmallCommits(), IndexedInsert(.seconds), IndexedInsert(.five),
    NamedBufferInsert(),
  ]
  static let subjects = allSubjects

  static func main() { run() }
}
