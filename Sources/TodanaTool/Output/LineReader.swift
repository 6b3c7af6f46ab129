/// The lines of a file or of the standard input, one at a time, as bytes.
struct LineReader: ~Copyable {
  private let input: InputDescriptor
  private let path: String
  private var buffer: [UInt8] = []
  /// The index in the buffer at which the next line begins.
  private var start = 0
  private var isAtEnd = false

  private static let pieceByteCount = 1 << 16

  /// Opens a file.
  ///
  /// - Parameter file: The path; `-` is the standard input.
  /// - Throws: ``InputError`` if it cannot be opened; ``Interrupted``.
  init(_ file: String) throws {
    path = file
    input = try InputDescriptor(file)
  }

  /// Waits for the first bytes, and returns whether there are none.
  ///
  /// - Throws: ``InputError``; ``Interrupted``.
  mutating func isEmpty() throws -> Bool {
    if buffer.isEmpty, !isAtEnd { try readMore() }
    return buffer.isEmpty
  }

  /// Returns the next line without its LF; nil at the end.
  ///
  /// - Throws: ``InputError``; ``Interrupted``.
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
    let piece = try input.read(upTo: Self.pieceByteCount, of: path)
    isAtEnd = piece.isEmpty
    buffer += piece
  }
}
