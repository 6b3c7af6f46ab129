extension Glob {
  /// Tests whether a whole path matches the whole pattern.
  ///
  /// After a mismatch, only the last `**` is extended by one more name. An earlier `**` need not be extended. The parts
  /// between the two have matched at the first possible position. A later position could not leave more of the path for
  /// the rest. Each part thus meets each name at most once between two `**`. The time is at most pattern × path, and
  /// nothing is allocated.
  ///
  /// - Parameters:
  ///   - path: Names with single slashes between them, and none at either end.
  ///   - start: The index in `path` at which matching begins.
  /// - Returns: True if the path matches.
  func matches(_ path: Span<UInt8>, from start: Int = 0) -> Bool {
    // The start of the next name. At the end it is `path.count + 1`, as if a slash followed the last name.
    var name = start
    var part = 0
    var retryPart: Int?
    var retryName = 0
    while true {
      if part == parts.count {
        if name > path.count { return true }
      } else if case .names(let minimum) = parts[part].kind {
        for _ in 0..<minimum {
          if name > path.count { return false }
          name = Self.endOfName(in: path, from: name) + 1
        }
        part += 1
        if part == parts.count { return true }
        retryPart = part
        retryName = name
        continue
      } else if name <= path.count {
        let end = Self.endOfName(in: path, from: name)
        if matches(parts[part], path, name..<end) {
          name = end + 1
          part += 1
          continue
        }
      }
      // Mismatch: extend the last `**` by one name.
      guard let last = retryPart, retryName <= path.count else { return false }
      retryName = Self.endOfName(in: path, from: retryName) + 1
      name = retryName
      part = last
    }
  }

  /// Tests whether a pattern of one part matches the last name of a path, which begins at `start`.
  @inline(__always)
  func matchesName(_ path: Span<UInt8>, from start: Int) -> Bool {
    parts.count == 1 && matches(parts[0], path, start..<path.count)
  }

  @inline(__always)
  private static func endOfName(in path: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
    return end
  }

  @inline(__always)
  private func matches(_ part: Part, _ path: Span<UInt8>, _ name: Range<Int>) -> Bool {
    if part.kind == .literal { return matchesLiteral(part, path, name) }
    return matchesWildcards(part, path, name)
  }

  private func matchesLiteral(_ part: Part, _ path: Span<UInt8>, _ name: Range<Int>) -> Bool {
    guard part.tokens.count == name.count else { return false }
    let offset = part.tokens.lowerBound - name.lowerBound
    for index in name where tokens[index + offset] != .byte(path[index]) { return false }
    return true
  }

  /// Matches one name; after a mismatch, only the last `*` is extended by one byte.
  ///
  /// An earlier `*` need not be extended, for the reason given for `**` in ``matches(_:from:)``.
  private func matchesWildcards(_ part: Part, _ path: Span<UInt8>, _ name: Range<Int>) -> Bool {
    var token = part.tokens.lowerBound
    var byte = name.lowerBound
    var retryToken: Int?
    var retryByte = 0
    while byte < name.upperBound {
      if token < part.tokens.upperBound {
        if tokens[token] == .anyRun {
          token += 1
          if token == part.tokens.upperBound { return true }
          retryToken = token
          retryByte = byte
          continue
        }
        if matches(tokens[token], path[byte]) {
          token += 1
          byte += 1
          continue
        }
      }
      guard let last = retryToken else { return false }
      retryByte += 1
      byte = retryByte
      token = last
    }
    return token == part.tokens.upperBound || (token + 1 == part.tokens.upperBound && tokens[token] == .anyRun)
  }

  @inline(__always)
  private func matches(_ token: Token, _ byte: UInt8) -> Bool {
    switch token {
    case .byte(let expected): expected == byte
    case .anyByte: true
    case .set(let index): sets[Int(index)].contains(byte)
    // Handled by the caller.
    case .anyRun: false
    }
  }
}
