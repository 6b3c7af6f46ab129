import Foundation
import Glibc

/// Messages and progress on standard error.
package enum Terminal {
  private static let isTerminal = isatty(STDERR_FILENO) == 1

  package static func message(_ text: String) {
    endProgress()
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Replaces the progress line, if standard error is a terminal.
  package static func progress(_ text: String) {
    guard isTerminal else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }

  package static func endProgress() {
    guard isTerminal else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
  }
}
