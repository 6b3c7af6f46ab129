import Foundation
import SpeedTestHarness

/// Runs the phases of subjects in processes of their own, and collects the measurements.
struct TextRun {
  let scratch: ScratchDirectory
  let corpus: TextCorpus
  let options: TextOptions
  private(set) var measurements: [TextMeasurement] = []
  /// The errors of child processes and of queries.
  private(set) var failures: [String] = []

  init(scratch: ScratchDirectory, corpus: TextCorpus, options: TextOptions) {
    self.scratch = scratch
    self.corpus = corpus
    self.options = options
  }

  /// Measures all phases of a subject.
  ///
  /// An error ends the subject only. A peer that is not installed is no error.
  mutating func measure(_ subject: TextSubjectEntry) {
    do {
      guard let program = try program(of: subject) else { return }
      let directory = try scratch.makeDirectory(subject.name)
      defer { scratch.remove(directory) }
      try measure(subject, program, in: directory)
    } catch {
      failures.append("\(subject.name): \(error)")
    }
  }

  /// The number of texts of subjects that take too long for all.
  private var scaledCount: Int { min(corpus.count, options.scaledCount ?? max(1, corpus.count / 5)) }

  private mutating func measure(
    _ subject: TextSubjectEntry, _ program: TextProgram, in directory: String
  ) throws {
    let isReference = subject.name == TextSubjectList.reference
    let count = subject.isScaled ? scaledCount : corpus.count
    var job = TextJob(.build, of: subject.name, in: directory, corpus: corpus.path, count: count)
    job.queries = TextQuery.all
    // The subject that reads all texts takes seconds, and its times are the same in each run.
    job.repetitions = isReference ? 1 : options.repetitions
    job.topRepetitions = isReference ? 1 : options.topRepetitions
    job.secondsPerQuery = options.secondsPerQuery
    job.saves = options.saves
    job.secondsOfSaves = options.secondsOfSaves
    job.scaledCount = scaledCount

    Terminal.progress("\(subject.name): building")
    let built = try run(job, program)
    let disk = DiskUsage(of: directory)
    for outcome in built.outcomes {
      var measurement = TextMeasurement(.build, of: subject.name, count: count, outcome)
      (measurement.peakBytes, measurement.peakFileBytes) = (built.peak.anonymousBytes, built.peak.fileBytes)
      measurement.diskBytes = disk.allocatedBytes
      measurements.append(measurement)
    }

    Terminal.progress("\(subject.name): searching")
    job.phase = .search
    scratch.flush(directory)
    for outcome in try run(job, program).outcomes {
      measurements.append(TextMeasurement(.query, of: subject.name, count: count, outcome))
      if let error = outcome.error { failures.append("\(subject.name), \(outcome.query ?? ""): \(error)") }
    }

    guard options.saves > 0 else { return }
    Terminal.progress("\(subject.name): saving")
    job.phase = .save
    for outcome in try run(job, program).outcomes {
      measurements.append(TextMeasurement(.save, of: subject.name, count: count, outcome))
    }
  }

  /// Runs a phase, and returns the outcomes that it printed and its peak of memory.
  private func run(
    _ job: TextJob, _ program: TextProgram
  ) throws -> (outcomes: [TextOutcome], peak: ResidentMemory) {
    let path = scratch.path + "/job.json"
    try job.write(to: path)
    let (output, peak) = try ChildProcess.runSampled(program.path, program.arguments + [path])
    let outcomes = try output.split(separator: "\n").map { line in
      do {
        return try JSONDecoder().decode(TextOutcome.self, from: Data(line.utf8))
      } catch {
        throw SpeedTestError.failed("a child printed something other than an outcome: \(line)")
      }
    }
    let expected = job.phase == .search ? job.queries.count : 1
    guard outcomes.count == expected else {
      throw SpeedTestError.failed("a child printed \(outcomes.count) outcomes instead of \(expected)")
    }
    return (outcomes, peak)
  }

  /// Returns the program that runs a subject; nil, with a message, if the subject is not installed.
  private func program(of subject: TextSubjectEntry) throws -> TextProgram? {
    guard case .python(let module, let installation) = subject.runner else {
      return TextProgram(path: nil, arguments: [TextJob.word])
    }
    guard let interpreter = PythonInterpreter.find(module: module, among: options.python) else {
      Terminal.message("\(subject.name) is left out, as Python has no module \(module): \(installation)")
      return nil
    }
    let script = scratch.path + "/text_peers.py"
    try Data(PackageResources.text_peers_py).write(to: URL(fileURLWithPath: script))
    return TextProgram(path: interpreter, arguments: [script, module])
  }
}

/// The program that runs a phase, and its first arguments.
struct TextProgram {
  /// The path; nil for this program.
  let path: String?
  let arguments: [String]
}
