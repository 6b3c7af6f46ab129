import FoundationEssentials

/// Runs workloads: prepares databases, starts a process for each repetition, and collects the measurements.
final class Runner {
  private let scratch: ScratchDirectory
  private let subjects: [any Subject]
  private let options: SpeedTestOptions
  /// The directories of prepared databases, by subject and preparation.
  private var prepared: [String: String] = [:]

  init(scratch: ScratchDirectory, subjects: [any Subject], options: SpeedTestOptions) {
    self.scratch = scratch
    self.subjects = subjects
    self.options = options
  }

  /// Runs a workload on all subjects, and returns all repetitions in the order in which they ran.
  func run(_ workload: any Workload) throws -> [SpeedMeasurement] {
    let taking = subjects.filter { !$0.unsupportedWorkloads.contains(workload.id) } + workload.references
    var measurements: [SpeedMeasurement] = []
    for subject in taking {
      Terminal.progress("\(workload.id) \(workload.name): preparing \(subject.name)")
      if let preparation = workload.preparation { _ = try prepare(preparation, workload, subject) }
    }
    for repetition in 1...options.repetitions {
      for subject in taking {
        Terminal.progress(
          "\(workload.id) \(workload.name): \(subject.name), \(repetition) of \(options.repetitions)")
        measurements.append(try measure(workload, subject, repetition))
      }
    }
    Terminal.endProgress()
    return measurements
  }

  private func measure(
    _ workload: any Workload, _ subject: any Subject, _ repetition: Int
  ) throws(SpeedTestError) -> SpeedMeasurement {
    let isShared = workload.preparation != nil && !workload.changesData
    let directory = try directory(for: workload, subject)
    scratch.flush(directory)
    let output = try ChildProcess.run(
      arguments(.measure, workload, subject, directory) + ["--repetition", "\(repetition)"])
    let measurement = try SpeedMeasurement(jsonLine: output)
    if !isShared {
      if workload.changesData {
        _ = try ChildProcess.run(arguments(.verify, workload, subject, directory))
      }
      scratch.remove(directory)
    }
    return measurement
  }

  /// Returns an empty directory, a copy of the prepared database, or the database itself if the workload only reads it.
  private func directory(
    for workload: any Workload, _ subject: any Subject
  ) throws(SpeedTestError) -> String {
    guard let preparation = workload.preparation else {
      return try scratch.makeDirectory("\(subject.name)-\(workload.id)")
    }
    let basis = try prepare(preparation, workload, subject)
    guard workload.changesData else { return basis }
    let copy = scratch.path + "/\(subject.name)-\(workload.id)"
    try ChildProcess.copy(basis, to: copy)
    return copy
  }

  /// Returns the directory of a prepared database, which is made the first time.
  private func prepare(
    _ preparation: Preparation, _ workload: any Workload, _ subject: any Subject
  ) throws(SpeedTestError) -> String {
    let key = "\(subject.name)-\(preparation.name)"
    if let directory = prepared[key] { return directory }
    let directory = try scratch.makeDirectory(key)
    if preparation.isKilledInSave {
      try prepareByKilling(directory, preparation, workload, subject)
    } else {
      _ = try ChildProcess.run(arguments(.prepare, workload, subject, directory, preparation: preparation))
    }
    prepared[key] = directory
    return directory
  }

  /// Prepares a database whose last save was killed.
  ///
  /// Runs one process to its end to measure the save, then kills another one during its save.
  private func prepareByKilling(
    _ directory: String, _ preparation: Preparation, _ workload: any Workload, _ subject: any Subject
  ) throws(SpeedTestError) {
    scratch.remove(directory)
    let trialRun = directory + "-whole"
    var basis: String?
    for earlier in preparation.basis { basis = try prepare(earlier, workload, subject) }
    for target in [trialRun, directory] {
      if let basis {
        try ChildProcess.copy(basis, to: target)
      } else {
        _ = try scratch.makeDirectory(String(target.dropFirst(scratch.path.count + 1)))
      }
    }
    let whole = try ChildProcess.runSave(
      arguments(.prepare, workload, subject, trialRun, preparation: preparation), killingAfter: nil)
    scratch.remove(trialRun)
    _ = try ChildProcess.runSave(
      arguments(.prepare, workload, subject, directory, preparation: preparation), killingAfter: whole * 0.4)
  }

  private func arguments(
    _ phase: Phase, _ workload: any Workload, _ subject: any Subject, _ directory: String,
    preparation: Preparation? = nil
  ) -> [String] {
    var arguments = [
      "run-phase", phase.rawValue, directory, "--workload", workload.id, "--subject", subject.name,
      "--count", "\(options.count)",
    ]
    if let preparation { arguments += ["--preparation", preparation.name] }
    if let titles = options.titles { arguments += ["--titles", titles] }
    return arguments
  }

  /// Returns the first songs of a prepared database, as the subject fetches them.
  func describeSongs(of subject: any Subject, limit: Int) throws -> [String] {
    let key = "\(subject.name)-\(Preparation.songs.name)"
    guard let directory = prepared[key] else {
      throw SpeedTestError.wrongUse("--show needs a workload that fetches songs, such as W2.")
    }
    let output = try ChildProcess.run(
      ["run-phase", Phase.show.rawValue, directory, "--subject", subject.name, "--count", "\(options.count)"]
        + ["--limit", "\(limit)"])
    return output.split(separator: "\n").map(String.init)
  }
}
