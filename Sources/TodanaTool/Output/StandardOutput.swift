import CProcess
import Foundation
import Synchronization

/// The buffered standard output, which throws if it cannot be written: a truncated dump on a full disk must not seem
/// complete.
enum StandardOutput {
  private static let state = Mutex(State())
  private static let pieceByteCount = 1 << 16

  private struct State {
    var pending: [UInt8] = []
    var isSummary = false
    /// The reason why output of a changing command could not be written.
    var lostSummary: String?
  }

  static func line(_ text: String) throws { try write(Array((text + "\n").utf8)) }

  static func write(_ bytes: [UInt8]) throws {
    try state.withLock { state in
      state.pending += bytes
      if state.pending.count >= pieceByteCount { try writeOut(&state) }
    }
  }

  static func flush() throws { try state.withLock { try writeOut(&$0) } }

  /// Declares that the output is only a summary of the command's work.
  ///
  /// From now on, output that cannot be written is not an error, as the work is done in any case.
  static func becomeSummary() { state.withLock { $0.isSummary = true } }

  /// The reason why output could not be written after ``becomeSummary()``; nil if it was written.
  static var lostSummary: String? { state.withLock { $0.lostSummary } }

  private static func writeOut(_ state: inout State) throws {
    defer { state.pending.removeAll(keepingCapacity: true) }
    if state.isSummary {
      let result = unsafe tdp_write_without_signal(STDOUT_FILENO, state.pending, state.pending.count)
      if result < 0 { state.lostSummary = systemMessage(-result) }
      return
    }
    guard write(state.pending, to: STDOUT_FILENO) else {
      throw OutputError(description: "Cannot write to the standard output: \(systemMessage())")
    }
  }

  /// Writes all bytes; returns false if a system call fails.
  fileprivate static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}

/// Creates a file that only its owner can read.
///
/// - Throws: ``OutputError``, for example if the path exists.
func writeNewFile(_ path: String, _ content: [UInt8]) throws {
  let descriptor = unsafe open(cPath(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw OutputError(description: "\(path) cannot be created: \(systemMessage()).") }
  defer { close(descriptor) }
  guard StandardOutput.write(content, to: descriptor), fsync(descriptor) == 0 else {
    let message = systemMessage()
    unsafe unlink(cPath(path))
    throw OutputError(description: "\(path) cannot be written: \(message).")
  }
}

/// The error for a file or output that cannot be read or written.
struct OutputError: Error, CustomStringConvertible {
  let description: String
}
