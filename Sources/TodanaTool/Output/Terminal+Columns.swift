import Foundation

// The abilities of the terminals that are the standard output and the standard error.
extension Terminal {
  /// How wide the terminal of the standard error is; 80 where that cannot be told.
  static var columnCount: Int { columnCount(of: STDERR_FILENO) ?? 80 }

  /// How wide the terminal of the standard output is; nil if it is none: a file has no width.
  static var outputColumnCount: Int? {
    isatty(STDOUT_FILENO) == 1 ? columnCount(of: STDOUT_FILENO) ?? 80 : nil
  }

  /// Whether the standard error is a terminal that can write over a line, as its `TERM` says.
  static var rewritesLines: Bool {
    guard isatty(STDERR_FILENO) == 1, let name = unsafe getenv("TERM") else { return false }
    return unsafe strlen(name) > 0 && strcmp(name, "dumb") != 0
  }

  private static func columnCount(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
