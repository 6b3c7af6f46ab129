import SpeedTestHarness
import SpeedTestSubjects

/// Measures creating, changing and saving.
@main enum InsertSpeedTest: SpeedTestProgram {
  static let name = "InsertSpeedTest"
  static let abstract = "Measures how fast objects are created, changed and saved, beside other ways of storing them."
  static let workloads: [any Workload] = [
    SimpleInsert(), ComplexInsert(), SimpleUpdate(), SmallCommits(), IndexedInsert(.seconds), IndexedInsert(.five),
    NamedBufferInsert(),
  ]
  static let subjects = allSubjects

  static func main() { run() }
}
