import ArgumentParser
import Glibc

/// The work of one child process.
enum Phase: String, ExpressibleByArgument, CaseIterable {
  case prepare, measure, verify, show
}

/// The command that a child process runs: one phase.
struct RunPhase<Program: SpeedTestProgram>: ParsableCommand {
  static var word: String { "run-phase" }

  @Argument var phase: Phase
  @Option var workload = ""
  @Option var subject: String
  @Option var count: Int
  @Option var preparation = ""
  @Option var repetition = 1
  @Option var limit = 0
  @Option var titles: String?
  @Argument var directory: String

  func run() throws {
    let knownWorkload = Program.workloads.first { $0.id == workload }
    let subjects = Program.subjects + (knownWorkload?.references ?? [])
    guard let knownSubject = subjects.first(where: { $0.name == subject }) else {
      throw SpeedTestError.wrongUse("unknown subject \(subject)")
    }
    let trial = Trial(
      subject: knownSubject, directory: directory, count: count, titles: try titles.map(readTitles))
    if phase == .show {
      for line in try knownSubject.describeSongs(limit: limit, in: directory) { print(line) }
      return
    }
    guard let knownWorkload else { throw SpeedTestError.wrongUse("unknown workload \(workload)") }
    switch phase {
    case .prepare: try prepare(knownWorkload, trial)
    case .measure: try measure(knownWorkload, trial)
    case .verify: try knownWorkload.verify(trial)
    case .show: break
    }
  }

  private func prepare(_ workload: any Workload, _ trial: Trial) throws {
    var candidate = workload.preparation
    while let found = candidate, found.name != preparation { candidate = found.basis.first }
    guard let candidate else { throw SpeedTestError.wrongUse("unknown preparation \(preparation)") }
    try candidate.run(trial) {
      print(ChildProcess.saveAnnouncement)
      fflush(nil)
    }
  }

  private func measure(_ workload: any Workload, _ trial: Trial) throws {
    setPageCache(of: directory, filled: !workload.startsUncached)
    let meter = Meter()
    try workload.run(trial, meter: meter)
    let reading = try meter.reading()
    let disk = DiskUsage(of: directory)
    let measurement = SpeedMeasurement(
      workload: workload.id, subject: subject, repetition: repetition, count: count,
      wallSeconds: reading.wallSeconds, cpuSeconds: reading.cpuSeconds, peakBytes: reading.anonymousBytes,
      peakFileBytes: reading.fileBytes, diskBytes: disk.allocatedBytes, apparentDiskBytes: disk.apparentBytes,
      p50Microseconds: percentile(0.5, of: meter.laps).map { $0 * 1e6 },
      p99Microseconds: percentile(0.99, of: meter.laps).map { $0 * 1e6 })
    print(try measurement.jsonLine())
  }
}
