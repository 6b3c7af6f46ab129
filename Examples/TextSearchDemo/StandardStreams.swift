import Foundation

/// The standard output and the standard error.
enum StandardStreams {
  /// Whether a terminal can rewrite lines, according to `TERM`.
  static var terminalRewritesLines: Bool {
    let type = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return !type.isEmpty && type != "dumb"
  }

  static func writeError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

  /// Writes a text; returns false if it cannot be written, such as to a terminal that is gone.
  static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      // The buffer lives until the call returns.
      let count = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}

/// Returns a number with commas.
func formatted(_ count: Int) -> String {
  let digits = Array("\(count)")
  return stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }.reversed()
    .joined(separator: ",")
}

/// Returns a duration in milliseconds or seconds.
func formatted(_ duration: Duration) -> String {
  let milliseconds = duration / .milliseconds(1)
  return switch milliseconds {
  case ..<0.995: String(format: "%.2f ms", milliseconds)
  case ..<9.95: String(format: "%.1f ms", milliseconds)
  case ..<999.5: String(format: "%.0f ms", milliseconds)
  default: String(format: "%.1f s", milliseconds / 1000)
  }
}
