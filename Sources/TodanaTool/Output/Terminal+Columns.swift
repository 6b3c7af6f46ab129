import Foundation

// The properties of the terminals of the standard output and the standard error.
extension Terminal {
  /// The width of the terminal of the standard error; 80 if it is unknown.
  static var columnCount: Int { columnCount(of: STDERR_FILENO) ?? 80 }

  /// The width of the terminal of the standard output; nil if it is not a terminal.
  static var outputColumnCount: Int? {
    isatty(STDOUT_FILENO) == 1 ? columnCount(of: STDOUT_FILENO) ?? 80 : nil
  }

  /// Whether the standard error is a terminal that can rewrite a line, according to `TERM`.
  static var rewritesLines: Bool {
    guard isatty(STDERR_FILENO) == 1, let name = unsafe getenv("TERM") else { return false }
    return unsafe strlen(name) > 0 && strcmp(name, "dumb") != 0
  }

  /// Whether another program reads the standard output, through a pipe or a socket.
  static var outputIsPipe: Bool {
    var status = stat()
    guard unsafe fstat(STDOUT_FILENO, &status) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }

  private static func columnCount(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
