import SpeedTestHarness

/// N1: writes named buffers and saves them durably in one save.
struct NamedBufferInsert: Workload {
  let id = "N1"
  let name = "NamedBufferInsert"
  let changesData = true

  func summary(count: Int) -> String {
    "writes \(grouped(max(1, count / 100))) named buffers of \(NamedBufferSource.numbersPerBuffer) numbers, "
      + "one durable save"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let buffers = trial.namedBuffers
    try meter.measure { try trial.subject.insertNamedBuffers(buffers, in: trial.directory) }
  }

  func verify(_ trial: Trial) throws {
    let found = try trial.subject.fetchNamedBuffers(trial.namedBuffers, in: trial.directory)
    try trial.expect(found, trial.namedBuffers.checksum, "the named buffers")
  }
}
