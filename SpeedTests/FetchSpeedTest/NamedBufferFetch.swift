import SpeedTestHarness

/// N2: reads named buffers by their names.
struct NamedBufferFetch: Workload {
  let id = "N2"
  let name = "NamedBufferFetch"
  let preparation: Preparation? = .namedBuffers

  func summary(count: Int) -> String { "reads \(grouped(max(1, count / 100))) named buffers by name" }

  func run(_ trial: Trial, meter: Meter) throws {
    let buffers = trial.namedBuffers
    let found = try meter.measure { try trial.subject.fetchNamedBuffers(buffers, in: trial.directory) }
    try trial.expect(found, buffers.checksum, "the named buffers")
  }
}
