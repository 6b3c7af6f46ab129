import Foundation

/// The lines of a file or of the standard input, one at a time, as bytes.
struct LineReader: ~Copyable {
  private let descriptor: Int32
  private let name: String
  private var buffer: [UInt8] = []
  /// Where the next line begins in the buffer.
  private var start = 0
  private var isAtEnd = false

  private static let pieceByteCount = 1 << 16

  /// - Parameter file: `-` for the standard input.
  /// - Throws: ``OutputError`` where it cannot be opened.
  init(_ file: String) throws {
    name = file == "-" ? "The standard input" : file
    descriptor = file == "-" ? STDIN_FILENO : unsafe open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutputError(description: "\(file) cannot be read: \(systemMessage()).") }
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// The next line, without its LF; nil at the end.
  mutating func next() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return Array(buffer[start..<end])
      }
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return Array(buffer[start...])
      }
      if start > 0 {
        buffer.removeFirst(start)
        searched -= start
        start = 0
      }
      try readMore()
    }
  }

  private mutating func readMore() throws {
    try waitForInput(descriptor)
    var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
    let count = unsafe read(descriptor, &piece, piece.count)
    guard count >= 0 else { throw OutputError(description: "\(name) cannot be read: \(systemMessage()).") }
    isAtEnd = count == 0
    buffer += piece[..<count]
  }
}

/// Waits until there is something to read, or the end.
///
/// - Throws: ``Interrupted``: a read would go on waiting after a signal.
func waitForInput(_ descriptor: Int32) throws(Interrupted) {
  while true {
    try Interruption.check()
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if unsafe Foundation.poll(&poll, 1, 200) > 0 { return }
  }
}

/// What the latest call of the system failed with.
func systemMessage() -> String { unsafe String(cString: strerror(errno)) }
