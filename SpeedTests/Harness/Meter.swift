import Glibc

/// Measures the work between `start` and `stop`, once.
///
/// CPU time is the time of all threads of the process, without the memory sampler.
public final class Meter {
  private let sampler = MemorySampler()
  private var startWall: UInt64?
  private var startCPU: UInt64 = 0
  private var result: Reading?
  /// The durations of single steps in seconds, if the workload times them with ``lap(_:)``.
  public private(set) var laps: [Double] = []

  struct Reading {
    var wallSeconds: Double
    var cpuSeconds: Double
    var anonymousBytes: Int
    var fileBytes: Int
  }

  init() {}

  public func start() {
    precondition(startWall == nil, "a meter measures once")
    sampler.start()
    startCPU = nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
    startWall = nanoseconds(of: CLOCK_MONOTONIC)
  }

  public func stop() {
    let wall = nanoseconds(of: CLOCK_MONOTONIC)
    let cpu = nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
    guard let startWall, result == nil else { preconditionFailure("a meter is started, then stopped, once") }
    let samplerCPU = sampler.ownCPUNanoseconds
    sampler.sample()
    let peaks = sampler.end()
    let used = cpu - startCPU
    result = Reading(
      wallSeconds: Double(wall - startWall) / 1e9,
      cpuSeconds: Double(used - min(used, samplerCPU)) / 1e9,
      anonymousBytes: peaks.anonymousBytes, fileBytes: peaks.fileBytes)
  }

  public func measure<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    start()
    let value = try body()
    stop()
    return value
  }

  /// Measures one step between `start` and `stop`.
  public func lap<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let start = nanoseconds(of: CLOCK_MONOTONIC)
    try body()
    laps.append(Double(nanoseconds(of: CLOCK_MONOTONIC) - start) / 1e9)
  }

  public func reserveLaps(_ count: Int) { laps.reserveCapacity(count) }

  func reading() throws(SpeedTestError) -> Reading {
    guard let result else { throw .failed("the workload measured nothing") }
    return result
  }
}
