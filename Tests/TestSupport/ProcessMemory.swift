import Foundation
import Synchronization

/// The anonymous memory of this process, in bytes.
public enum ProcessMemory {
  /// The resident memory without mapped files, or 0 if the system does not report it.
  public static var anonymousByteCount: Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") })
    else { return 0 }
    return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) << 10
  }

  /// Returns the highest ``anonymousByteCount`` while `body` runs, and the result of `body`.
  public static func peakAnonymousByteCount<Result, Failure: Error>(
    during body: () throws(Failure) -> Result
  ) throws(Failure) -> (Int, Result) {
    let sampler = Sampler()
    let thread = Thread { while sampler.sample() { usleep(1_000) } }
    thread.start()
    defer { sampler.end() }
    let result = try body()
    _ = sampler.sample()
    return (sampler.peak, result)
  }

  private final class Sampler: Sendable {
    private let highest = Atomic(0)
    private let isEnded = Atomic(false)

    var peak: Int { highest.load(ordering: .relaxed) }

    /// Takes a sample, and returns false after the end.
    func sample() -> Bool {
      highest.max(ProcessMemory.anonymousByteCount, ordering: .relaxed)
      return !isEnded.load(ordering: .relaxed)
    }

    func end() { isEnded.store(true, ordering: .relaxed) }
  }
}
