extension FileFilter {
  /// Whether something in the directory entered last belongs into the snapshot.
  ///
  /// - Parameters:
  ///   - name: Not empty, and without a slash.
  ///   - isDirectory: A symbolic link to a directory is none.
  ///   - size: Bytes of a regular file; nil for anything else, which is never too large.
  ///   - device: What it is on: `st_dev`.
  /// - Returns: What to do, and why something is left out.
  public mutating func decision(name: Span<UInt8>, isDirectory: Bool, size: Int?, device: UInt64) -> FileDecision {
    // There is a level at least: that of the root.
    let level = levels[levels.count - 1]
    if let mark = level.mark, isDirectory || !Self.equal(name, mark.name.span) { return .exclude(mark.reason) }
    if case .excluded(let rule) = verdict(name, isDirectory: isDirectory) { return .exclude(.rule(rule)) }
    if options.staysOnFileSystem, device != self.device, !furtherDevices.contains(device) {
      return isDirectory ? .includeWithoutContent(.otherFileSystem) : .exclude(.otherFileSystem)
    }
    if let limit = options.largestFile, let size, !isDirectory, size > limit.byteCount {
      return .exclude(.largerThan(limit))
    }
    return .include
  }

  /// See ``decision(name:isDirectory:size:device:)-(Span<UInt8>,_,_,_)``.
  public mutating func decision(name: [UInt8], isDirectory: Bool, size: Int?, device: UInt64) -> FileDecision {
    decision(name: name.span, isDirectory: isDirectory, size: size, device: device)
  }

  /// What the rules say: the command line's, then from the deepest directory up.
  private mutating func verdict(_ name: Span<UInt8>, isDirectory: Bool) -> PatternList.Verdict {
    let directoryByteCount = path.count
    defer { path.removeSubrange(directoryByteCount...) }
    if directoryByteCount > 0 { path.append(UInt8(ascii: "/")) }
    let nameStart = path.count
    for index in name.indices { path.append(name[index]) }

    let span = path.span
    var verdict = options.rules.verdict(span, from: 0, nameStart: nameStart, isDirectory: isDirectory)
    var index = levels.count
    while verdict == .undecided, index > 0 {
      index -= 1
      guard let patterns = levels[index].patterns else { continue }
      // What lies in the root has no slash before it.
      let start = index == 0 ? 0 : levels[index].pathByteCount + 1
      verdict = patterns.verdict(span, from: start, nameStart: nameStart, isDirectory: isDirectory)
    }
    return verdict
  }

  private static func equal(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.indices where one[index] != other[index] { return false }
    return true
  }
}
