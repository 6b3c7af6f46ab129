import Foundation
import Glibc
import SpeedTestHarness

/// Runs a phase of a subject in this process and prints its outcomes, one a line.
struct TextPhase {
  let job: TextJob

  init(_ job: TextJob) { self.job = job }

  func run() throws {
    guard let subject = TextSubjectList.all.first(where: { $0.name == job.subject })?.subject else {
      throw SpeedTestError.wrongUse("unknown subject \(job.subject)")
    }
    switch job.phase {
    case .build:
      var outcome = TextOutcome(version: subject.version)
      var byteCount: Int?
      try measure(&outcome) { byteCount = try subject.build(job) }
      outcome.rowByteCount = byteCount
      try emit(outcome)
    case .search:
      setPageCache(of: job.directory, filled: true)
      try subject.withSearcher(in: job.directory) { searcher in
        for query in job.queries { try emit(outcome(of: query, searcher)) }
      }
    case .save:
      try emit(try saves(of: subject))
    }
  }

  /// Runs a query repeatedly.
  ///
  /// An error is part of the outcome, so that the other queries still run.
  private func outcome(of query: TextQuery, _ searcher: any TextSearcher) -> TextOutcome {
    var outcome = TextOutcome(query: query.id)
    do {
      guard let prepared = try searcher.prepare(query) else {
        outcome.isUnsupported = true
        return outcome
      }
      outcome.readsAll = prepared.readsAll
      (outcome.hitCount, outcome.scaledHitCount) = try prepared.hitCounts(job.scaledCount)
      if query.result == .top { outcome.rows = try prepared.rows() }
      let repetitions = query.result == .top ? job.topRepetitions : job.repetitions
      // The first run fills caches and is not counted, unless it is the only one.
      if repetitions > 1 { _ = try prepared.run() }
      let end = ContinuousClock.now + .seconds(job.secondsPerQuery)
      for repetition in 0..<repetitions {
        if repetition > 0, ContinuousClock.now > end { break }
        var byteCount = 0
        try measure(&outcome) { byteCount = try prepared.run() }
        outcome.fetchedByteCount = byteCount
      }
    } catch {
      outcome.error = "\(error)"
    }
    return outcome
  }

  private func saves(of subject: any TextSubject) throws -> TextOutcome {
    var texts: [String] = []
    try forEachText(of: job.corpus, count: min(job.count, job.saves)) { texts.append($1) }
    var outcome = TextOutcome()
    try subject.withSaver(in: job.directory) { saver in
      let before = try saver.logByteCount()
      let end = ContinuousClock.now + .seconds(job.secondsOfSaves)
      for number in 0..<job.saves where ContinuousClock.now < end {
        try measure(&outcome) { try saver.save(texts[number % texts.count]) }
      }
      if let before, let after = try saver.logByteCount() {
        outcome.logByteCount = Double(after - before) / Double(max(1, outcome.wallSeconds.count))
      }
    }
    return outcome
  }

  private func measure<Failure: Error>(
    _ outcome: inout TextOutcome, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    let wall = nanoseconds(of: CLOCK_MONOTONIC)
    let cpu = nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
    try body()
    outcome.cpuSeconds.append(Double(nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e9)
    outcome.wallSeconds.append(Double(nanoseconds(of: CLOCK_MONOTONIC) - wall) / 1e9)
  }

  private func emit(_ outcome: TextOutcome) throws {
    print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
  }
}
