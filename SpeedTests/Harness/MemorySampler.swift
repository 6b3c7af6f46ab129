import Foundation
package import Glibc
import Synchronization

/// The resident memory of a process at one moment, or its peaks.
package struct ResidentMemory {
  package var anonymousBytes = 0
  package var fileBytes = 0

  /// Reads a file such as `/proc/self/status`; returns zeros if it cannot be read.
  static func read(from path: String) -> ResidentMemory {
    var memory = ResidentMemory()
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return memory }
    defer { close(descriptor) }
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
      let length = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      guard length > 0 else { return }
      let text = unsafe Span(_unsafeElements: UnsafeBufferPointer(buffer.extracting(0..<length)))
      memory.anonymousBytes = kibibytes(after: "RssAnon:", in: text) * 1024
      memory.fileBytes = kibibytes(after: "RssFile:", in: text) * 1024
    }
    return memory
  }

  /// Returns the number after a label, without an allocation.
  static func kibibytes(after label: StaticString, in text: borrowing Span<UInt8>) -> Int {
    let labelLength = label.utf8CodeUnitCount
    var start = 0
    while start + labelLength <= text.count {
      var matched = 0
      while matched < labelLength, unsafe text[start + matched] == label.utf8Start[matched] { matched += 1 }
      if matched == labelLength {
        var value = 0
        var index = start + labelLength
        while index < text.count, text[index] != UInt8(ascii: "\n") {
          let digit = Int(text[index]) - 48
          if (0...9).contains(digit) { value = value * 10 + digit }
          index += 1
        }
        return value
      }
      while start < text.count, text[start] != UInt8(ascii: "\n") { start += 1 }
      start += 1
    }
    return 0
  }
}

/// A thread that samples the resident memory every few milliseconds, and the peaks found.
final class MemorySampler: Sendable {
  static let intervalMicroseconds: UInt32 = 4_000

  private let peakAnonymous = Atomic(0)
  private let peakFile = Atomic(0)
  private let isStopping = Atomic(false)
  private let cpuNanoseconds = Atomic(UInt64(0))
  private let hasEnded = DispatchSemaphore(value: 0)
  private let path: String

  /// Creates a sampler of this process.
  init() { path = "/proc/self/status" }

  /// Creates a sampler of another process.
  init(of process: pid_t) { path = "/proc/\(process)/status" }

  func start() {
    sample()
    let thread = Thread { [self] in
      while !isStopping.load(ordering: .relaxed) {
        usleep(Self.intervalMicroseconds)
        sample()
        cpuNanoseconds.store(nanoseconds(of: CLOCK_THREAD_CPUTIME_ID), ordering: .relaxed)
      }
      hasEnded.signal()
    }
    thread.stackSize = 256 * 1024
    thread.start()
  }

  /// Takes a sample.
  ///
  /// A caller takes the last sample before it calls ``end()``.
  func sample() {
    let memory = ResidentMemory.read(from: path)
    peakAnonymous.max(memory.anonymousBytes, ordering: .relaxed)
    peakFile.max(memory.fileBytes, ordering: .relaxed)
  }

  /// The CPU time that the sampling thread has used, so far.
  var ownCPUNanoseconds: UInt64 { cpuNanoseconds.load(ordering: .relaxed) }

  /// Ends the thread without waiting for it.
  func stop() { isStopping.store(true, ordering: .relaxed) }

  /// Ends the thread and returns the peaks.
  func end() -> ResidentMemory {
    stop()
    hasEnded.wait()
    return ResidentMemory(
      anonymousBytes: peakAnonymous.load(ordering: .relaxed), fileBytes: peakFile.load(ordering: .relaxed))
  }
}

/// Returns the time of a system clock, in nanoseconds; 0 if it cannot be read.
package func nanoseconds(of clock: clockid_t) -> UInt64 {
  var time = timespec()
  guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
