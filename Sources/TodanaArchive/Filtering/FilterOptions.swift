/// The rules that leave files out of a snapshot, or include them again.
public struct FilterOptions: Sendable {
  /// The rules of `--exclude`, `--exclude-from` and `--include`, in the order in which they were added.
  ///
  /// The last matching rule decides. Patterns are relative to the root of the walk, and take precedence over
  /// `.todanaignore` files.
  public private(set) var rules = PatternList()
  /// Whether a directory with a ``CacheDirectoryTag`` is included with only that file (`--exclude-caches`).
  public var excludesCaches = false
  /// Names of marker files: a directory with one of them is included with only that file (`--exclude-if-present`).
  public private(set) var markerNames: [[UInt8]] = []
  /// Whether `.todanaignore` files are read; `--no-ignore-files` sets this to false.
  public var readsIgnoreFiles = true
  /// The maximum size of a regular file (`--exclude-larger-than`); nil for no limit.
  public var largestFile: ByteSize?
  /// Whether files on other devices than their root are left out (`--one-file-system`).
  ///
  /// The devices of paths that were given below other given paths are included, too. A mount point is included without
  /// its content.
  public var staysOnFileSystem = false

  /// Creates options that leave nothing out.
  public init() {}

  /// Adds a pattern that excludes files (`--exclude`).
  ///
  /// - Throws: ``ArgumentError/Code/flawedPattern`` if the pattern can never match.
  public mutating func exclude(_ pattern: [UInt8]) throws(ArgumentError) {
    try append(PatternRule(Pattern(pattern), origin: .excludeOption))
  }

  /// Adds each line of a file as a pattern, as in a `.todanaignore` file (`--exclude-from`).
  ///
  /// - Parameters:
  ///   - content: The content of the file.
  ///   - path: The file's path, for messages.
  /// - Throws: ``ArgumentError/Code/flawedPattern`` if a pattern can never match; none of the patterns is added then.
  public mutating func exclude(lines content: [UInt8], of path: [UInt8]) throws(ArgumentError) {
    var added = PatternList()
    added.append(lines: content, of: path)
    for rule in added.rules { try Self.check(rule) }
    for rule in added.rules { rules.append(rule) }
  }

  /// Adds a pattern that includes files despite an earlier rule that excludes them (`--include`).
  ///
  /// Files in an excluded directory stay excluded. If the relative order of options is unknown, add these patterns
  /// last.
  ///
  /// - Throws: ``ArgumentError/Code/flawedPattern`` if the pattern can never match, or begins with `!`.
  public mutating func include(_ pattern: [UInt8]) throws(ArgumentError) {
    let rule = PatternRule(Pattern(pattern), origin: .includeOption)
    if rule.pattern.isNegated {
      throw ArgumentError(
        .flawedPattern, "\(rule) is negated twice: remove the “!”, or write “\\!” for the character itself.")
    }
    try append(rule)
  }

  /// Adds the name of a marker file whose directory is included with only that file (`--exclude-if-present`).
  ///
  /// - Throws: ``ArgumentError/Code/invalidName`` if the name is not a single path component.
  public mutating func exclude(ifPresent name: [UInt8]) throws(ArgumentError) {
    guard FileName.isStep(name) else {
      throw ArgumentError(.invalidName, "“\(printable(name))” is not the name of a file in a directory.")
    }
    markerNames.append(name)
  }

  private mutating func append(_ rule: PatternRule) throws(ArgumentError) {
    try Self.check(rule)
    rules.append(rule)
  }

  private static func check(_ rule: PatternRule) throws(ArgumentError) {
    guard let flaw = rule.pattern.flaw else { return }
    throw ArgumentError(.flawedPattern, "\(rule) matches nothing: \(flaw).")
  }
}
