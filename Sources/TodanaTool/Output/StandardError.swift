import CProcess
import Foundation

/// The standard error, which shows messages for people.
///
/// A message that cannot be written is dropped: a closed terminal, or a full disk under a log, must not end the work. A
/// call waits only if the descriptor is in blocking mode, and never raises `SIGPIPE`.
enum StandardError {
  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe tdp_write_without_signal(STDERR_FILENO, bytes, bytes.count)
  }
}

/// Writes a message for people to the standard error, with the tool's name before it.
func printError(_ message: String) { StandardError.write("todana: \(printableMessage(message))\n") }
