import Foundation

/// A pseudo-terminal: a process uses one end as its terminal, and the test reads the other.
final class PseudoTerminal {
  /// The path of the processes' end.
  let path: String
  private var main: Int32
  /// A descriptor that stays open, so that output can be read after its process ended.
  private var held: Int32

  /// TIOCSPTLCK and TIOCGPTN of Linux.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  init(columns: UInt16 = 80) throws {
    // Replaces posix_openpt, unlockpt and ptsname, which Swift's import of the C library lacks.
    main = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (isLocked, number): (Int32, UInt32) = (0, 0)
    guard main >= 0, unsafe ioctl(main, Self.setLock, &isLocked) == 0, unsafe ioctl(main, Self.getNumber, &number) == 0
    else { throw POSIXError(.ENODEV) }
    path = "/dev/pts/\(number)"
    held = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard held >= 0, resize(columns: columns, rows: 24) else { throw POSIXError(.ENODEV) }
  }

  deinit { close() }

  /// Closes the terminal, which hangs up the processes that use it.
  func close() {
    for descriptor in [main, held] where descriptor >= 0 { _ = Foundation.close(descriptor) }
    (main, held) = (-1, -1)
  }

  /// Changes the size, of which the system informs the processes that have this terminal as their controlling one.
  @discardableResult
  func resize(columns: UInt16, rows: UInt16) -> Bool {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    return unsafe ioctl(main, UInt(TIOCSWINSZ), &size) == 0
  }

  /// Types a text.
  func type(_ text: String) { type(Array(text.utf8)) }

  /// Types the bytes of a text or of keys.
  func type(_ bytes: [UInt8]) { _ = unsafe write(main, bytes, bytes.count) }

  /// Whether the terminal shows typed characters and edits lines, as it does by default.
  var editsLines: Bool {
    var settings = termios()
    guard unsafe tcgetattr(held, &settings) == 0 else { return false }
    return settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON)
  }

  /// Returns all text that was written since the last call.
  func text() -> String {
    _ = fcntl(main, F_SETFL, fcntl(main, F_GETFL) | O_NONBLOCK)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(main, &piece, piece.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
    }
  }

  /// A command that runs another one with this terminal as its standard error.
  var asError: [String] { ["sh", "-c", "exec \"$@\" 2>\"$0\"", path] }

  /// A command that runs another one with this terminal as its standard output.
  var asOutput: [String] { ["sh", "-c", "exec \"$@\" >\"$0\"", path] }

  /// A command that runs another one in a session of its own with this terminal, which has colors.
  var asControllingTerminal: [String] {
    ["sh", "-c", "unset NO_COLOR; TERM=xterm exec setsid -cw \"$@\" <\"$0\" >\"$0\" 2>&1", path]
  }
}
