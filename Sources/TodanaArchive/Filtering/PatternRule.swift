/// A pattern, and where it was written.
public struct PatternRule: Sendable, Hashable, CustomStringConvertible {
  public var pattern: Pattern
  public var origin: Origin

  public init(_ pattern: Pattern, origin: Origin) {
    self.pattern = pattern
    self.origin = origin
  }

  /// Where a pattern was written.
  @nonexhaustive
  public enum Origin: Sendable, Hashable {
    /// `--exclude PATTERN`.
    case excludeOption
    /// `--include PATTERN`.
    case includeOption
    /// A line of a file, counted from 1; the path of the file as a person would name it.
    case file(path: [UInt8], line: Int)
  }

  /// Whether it leaves out what it matches; otherwise it takes it back.
  public var excludes: Bool {
    // An option --include takes back without a `!`.
    origin != .includeOption && !pattern.isNegated
  }

  /// Such as `“*.o” (src/.todanaignore, line 3)`.
  public var description: String {
    let text = PrintableBytes.text(of: pattern.text)
    return switch origin {
    case .excludeOption: "“\(text)” (--exclude)"
    case .includeOption: "“\(text)” (--include)"
    case .file(let path, let line): "“\(text)” (\(PrintableBytes.text(of: path)), line \(line))"
    }
  }
}
