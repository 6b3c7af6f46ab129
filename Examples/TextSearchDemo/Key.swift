/// A key, as a terminal in raw mode sends it.
enum Key: Sendable, Equatable {
  case text(String)
  case backspace, clear, eraseWord, tab, up, down
  case leave
}

/// Decodes the bytes of a terminal to keys.
struct KeyDecoder {
  private var pending: [UInt8] = []

  /// Whether the bytes end with an escape character, which may be the Escape key or the beginning of another key.
  var isUndecided: Bool { pending.first == 0x1B }

  /// Returns the keys that are complete; the other bytes are kept for the next call.
  mutating func keys(adding bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (key, count) = next() {
      pending.removeFirst(count)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Returns the key of the bytes that are left, if no further bytes follow.
  mutating func keyAtEnd() -> Key? {
    defer { pending.removeAll() }
    return pending == [0x1B] ? .leave : nil
  }

  /// Returns the next key and its length in bytes, with nil for a key that has no use; nil if bytes are missing.
  private func next() -> (key: Key?, count: Int)? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return escapeSequence()
    case 0x03, 0x04: return (.leave, 1)
    case 0x08, 0x7F: return (.backspace, 1)
    case 0x09: return (.tab, 1)
    case 0x15: return (.clear, 1)
    case 0x17: return (.eraseWord, 1)
    case ..<0x20: return (nil, 1)
    default: return text()
    }
  }

  /// Decodes an arrow, for example: ESC, "[" or "O", parameters, and a final byte.
  private func escapeSequence() -> (key: Key?, count: Int)? {
    guard pending.count > 1 else { return nil }
    // Alt with a key.
    guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else { return (nil, 2) }
    guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
    return switch pending[end] {
    case UInt8(ascii: "A"): (.up, end + 1)
    case UInt8(ascii: "B"): (.down, end + 1)
    default: (nil, end + 1)
    }
  }

  /// Decodes one scalar of UTF-8; bytes that are no UTF-8 have no use.
  private func text() -> (key: Key?, count: Int)? {
    let length =
      switch pending[0] {
      case ..<0x80: 1
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    guard length > 0 else { return (nil, 1) }
    let bytes = pending.prefix(length)
    if let wrong = bytes.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) { return (nil, wrong) }
    guard bytes.count == length else { return nil }
    return (String(validating: bytes, as: UTF8.self).map { .text($0) }, length)
  }
}
