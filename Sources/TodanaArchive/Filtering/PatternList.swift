/// An ordered list of patterns, and the directory that they are relative to; the last matching pattern decides.
public struct PatternList: Sendable {
  /// The directory's path from the root of the walk: names with single slashes between them; empty for the root.
  public let directory: [UInt8]
  /// The rules, in the order in which they were added.
  public private(set) var rules: [PatternRule] = []

  /// Creates an empty list.
  public init(directory: [UInt8] = []) { self.directory = directory }

  /// Adds a rule, which takes precedence over all rules in the list.
  public mutating func append(_ rule: PatternRule) { rules.append(rule) }

  /// Adds the lines of a pattern file, which has the format of `.gitignore`.
  ///
  /// - Parameters:
  ///   - content: Lines that end in a line feed, or in a carriage return and line feed. A UTF-8 byte order mark at the
  ///     start is skipped, as in Git.
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

  /// Rules that can never match, and are therefore mistakes.
  public var flawedRules: [PatternRule] { rules.filter { $0.pattern.flaw != nil } }

  /// The result of applying a list to a path.
  public enum Verdict: Sendable, Hashable {
    /// The rule excludes the path.
    case excluded(PatternRule)
    /// The rule includes the path again.
    case included(PatternRule)
    /// No rule matches.
    case undecided
  }

  /// Applies the list to a single path.
  ///
  /// Directories above the path are not considered: the content of an excluded directory must not be passed.
  ///
  /// - Parameters:
  ///   - path: The path from the root of the walk, as for ``directory``.
  ///   - isDirectory: Whether the path is a directory; false for a symbolic link to one.
  /// - Returns: The result; ``Verdict/undecided`` if no rule matches, or if the path is not below ``directory``.
  public func verdict(_ path: Span<UInt8>, isDirectory: Bool) -> Verdict {
    guard !rules.isEmpty, path.count > directory.count else { return .undecided }
    for index in directory.indices where path[index] != directory[index] { return .undecided }
    guard directory.isEmpty || path[directory.count] == UInt8(ascii: "/") else { return .undecided }
    let start = directory.isEmpty ? 0 : directory.count + 1
    var nameStart = path.count
    while nameStart > start, path[nameStart - 1] != UInt8(ascii: "/") { nameStart -= 1 }
    return verdict(path, from: start, nameStart: nameStart, isDirectory: isDirectory)
  }

  /// Applies the list to a single path; see ``verdict(_:isDirectory:)-(Span<UInt8>,_)``.
  public func verdict(_ path: [UInt8], isDirectory: Bool) -> Verdict {
    verdict(path.span, isDirectory: isDirectory)
  }

  /// Applies the list to a path whose part below ``directory`` begins at `start`, and whose last name begins at
  /// `nameStart`.
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

/// A pattern and its origin.
public struct PatternRule: Sendable, Hashable, CustomStringConvertible {
  public var pattern: Pattern
  public var origin: Origin

  public init(_ pattern: Pattern, origin: Origin) {
    self.pattern = pattern
    self.origin = origin
  }

  /// The place in which a pattern was written.
  @nonexhaustive
  public enum Origin: Sendable, Hashable {
    /// The option `--exclude PATTERN`.
    case excludeOption
    /// The option `--include PATTERN`.
    case includeOption
    /// A line of a file, counted from 1, with the path of the file for messages.
    case file(path: [UInt8], line: Int)
  }

  /// Whether the rule excludes matching files; if not, it includes them again.
  public var excludes: Bool {
    // The option --include needs no `!`.
    origin != .includeOption && !pattern.isNegated
  }

  /// The rule for messages, such as `“*.o” (src/.todanaignore, line 3)`.
  public var description: String {
    let text = printable(pattern.text)
    return switch origin {
    case .excludeOption: "“\(text)” (--exclude)"
    case .includeOption: "“\(text)” (--include)"
    case .file(let path, let line): "“\(text)” (\(printable(path)), line \(line))"
    }
  }
}
