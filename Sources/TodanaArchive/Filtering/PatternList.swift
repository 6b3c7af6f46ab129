/// Patterns in order, and the directory that they are relative to: the last that matches decides.
public struct PatternList: Sendable {
  /// From the root of what is walked, names with single slashes between them; empty for the root itself.
  public let directory: [UInt8]
  public private(set) var rules: [PatternRule] = []

  /// An empty list.
  public init(directory: [UInt8] = []) { self.directory = directory }

  /// Adds a rule, which goes before all that are in the list.
  public mutating func append(_ rule: PatternRule) { rules.append(rule) }

  /// Adds the lines of a file, such as `.gitignore` has them.
  ///
  /// - Parameters:
  ///   - content: Lines that end in a line feed, or carriage return and line feed. A byte order mark of UTF-8 at the start
  ///     is passed over, as Git does.
  ///   - path: The file's path, for ``PatternRule/Origin``.
  public mutating func append(lines content: [UInt8], of path: [UInt8]) {
    let text = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content[3...] : content[...]
    var line = 0
    for bytes in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      guard let pattern = Pattern(line: Array(bytes)) else { continue }
      append(PatternRule(pattern, origin: .file(path: path, line: line)))
    }
  }

  /// Those that match nothing, and so are a mistake of whoever wrote them.
  public var flawedRules: [PatternRule] { rules.filter { $0.pattern.flaw != nil } }

  /// What the list says about a path.
  public enum Verdict: Sendable, Hashable {
    /// The rule leaves it out.
    case excluded(PatternRule)
    /// The rule takes it back.
    case included(PatternRule)
    /// No rule matches.
    case undecided
  }

  /// What the list says about a path by itself.
  ///
  /// It says nothing of the directories above: what lies in a directory that is left out is never asked for.
  ///
  /// - Parameters:
  ///   - path: From the root of what is walked, as ``directory``.
  ///   - isDirectory: A symbolic link to a directory is none.
  /// - Returns: Undecided where no rule matches, and for what is not below ``directory``.
  public func verdict(_ path: Span<UInt8>, isDirectory: Bool) -> Verdict {
    guard !rules.isEmpty, path.count > directory.count else { return .undecided }
    for index in directory.indices where path[index] != directory[index] { return .undecided }
    guard directory.isEmpty || path[directory.count] == UInt8(ascii: "/") else { return .undecided }
    let start = directory.isEmpty ? 0 : directory.count + 1
    var nameStart = path.count
    while nameStart > start, path[nameStart - 1] != UInt8(ascii: "/") { nameStart -= 1 }
    return verdict(path, from: start, nameStart: nameStart, isDirectory: isDirectory)
  }

  /// See ``verdict(_:isDirectory:)-(Span<UInt8>,_)``.
  public func verdict(_ path: [UInt8], isDirectory: Bool) -> Verdict {
    verdict(path.span, isDirectory: isDirectory)
  }

  /// The same for a path whose part below ``directory`` begins at `start`, and whose last name at `nameStart`.
  func verdict(_ path: Span<UInt8>, from start: Int, nameStart: Int, isDirectory: Bool) -> Verdict {
    var index = rules.count
    while index > 0 {
      index -= 1
      if rules[index].pattern.matches(path, from: start, nameStart: nameStart, isDirectory: isDirectory) {
        return rules[index].excludes ? .excluded(rules[index]) : .included(rules[index])
      }
    }
    return .undecided
  }
}

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
    let text = printable(pattern.text)
    return switch origin {
    case .excludeOption: "“\(text)” (--exclude)"
    case .includeOption: "“\(text)” (--include)"
    case .file(let path, let line): "“\(text)” (\(printable(path)), line \(line))"
    }
  }
}
