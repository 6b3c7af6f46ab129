import Foundation

/// The terminal of the process in raw mode, with the alternate screen.
final class RawTerminal {
  private var original = termios()
  private var isRaw = false

  /// Switches the terminal to raw mode and to the alternate screen.
  func enter() throws {
    guard unsafe tcgetattr(STDIN_FILENO, &original) == 0 else { throw TerminalError(operation: "read") }
    var raw = original
    unsafe cfmakeraw(&raw)
    // Keeps the keys that were typed before.
    guard unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0 else { throw TerminalError(operation: "change") }
    isRaw = true
    // Alternate screen; no wrapping at the last column.
    _ = StandardStreams.write("\u{1B}[?1049h\u{1B}[?7l")
  }

  /// Restores the terminal; does nothing if it was restored already.
  func restore() {
    guard isRaw else { return }
    isRaw = false
    _ = StandardStreams.write("\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
    _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &original)
  }

  /// The number of columns and rows.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}

/// The error for a terminal whose settings cannot be used.
struct TerminalError: Error, CustomStringConvertible {
  let description: String

  /// Describes a failed system call.
  init(operation: String) {
    // The C library's text lives until this thread's next call of strerror.
    description = "Cannot \(operation) the settings of the terminal: \(unsafe String(cString: strerror(errno)))."
  }
}
