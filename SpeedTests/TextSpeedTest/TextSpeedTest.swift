import ArgumentParser
import SpeedTestHarness

/// Measures searches of texts, compared with other full-text indexes.
@main struct TextSpeedTest: ParsableCommand {
  static let name = "TextSpeedTest"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Measure how fast texts are indexed and searched, compared with other full-text indexes.",
    discussion: """
      Texts are those of a file, of documents, or pseudorandom titles. Peers that are not installed are left out.

      Subjects: \(TextSubjectList.all.map(\.name).joined(separator: ", "))
      """)

  @OptionGroup var options: TextOptions

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    exitAfter(Self.self, named: name) {
      // The internal command is not a subcommand, because it would appear in the help.
      if arguments.first == TextJob.word, arguments.count == 2 {
        try TextPhase(TextJob(path: arguments[1])).run()
      } else {
        try parse(arguments).run()
      }
    }
  }

  func run() throws {
    let subjects = try options.subjects()
    let scratch = try ScratchDirectory(inside: options.directory)
    Interruption.watch(scratch)
    defer {
      Terminal.endProgress()
      scratch.remove()
      Interruption.forgetScratch()
    }
    if scratch.isInMemory {
      Terminal.message("\(Self.name): \(options.directory) is in memory, where flushes cost nothing.")
    }
    Terminal.progress("writing the texts")
    let corpus = try options.corpus(at: scratch.path + "/texts.txt")
    var run = TextRun(scratch: scratch, corpus: corpus, options: options)
    for subject in subjects { run.measure(subject) }
    Terminal.endProgress()
    let check = CountCheck(run.measurements)
    if options.json {
      print(try jsonArray(run.measurements))
    } else {
      print(TextReport(corpus: corpus, measurements: run.measurements, check: check).text)
    }
    for message in run.failures + check.failures { Terminal.message("\(Self.name): \(message)") }
    guard check.failures.isEmpty else { throw SpeedTestError.wrongResult("a subject found wrong texts") }
    guard run.failures.isEmpty else { throw SpeedTestError.failed("a measurement is missing") }
  }
}
