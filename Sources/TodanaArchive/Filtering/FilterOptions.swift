/// The rules by which files are left out of a snapshot, and taken back.
public struct FilterOptions: Sendable {
  /// Of `--exclude`, `--exclude-from` and `--include`, in the order in which they were added.
  ///
  /// The last that matches decides. They are relative to the root that is walked, and go before what `.todanaignore`
  /// files say.
  public private(set) var rules = PatternList()
  /// `--exclude-caches`: of a directory with a ``CacheDirectoryTag``, only it and the tag stay.
  public var excludesCaches = false
  /// `--exclude-if-present`: of a directory with something of one of these names, only it and that file stay.
  public private(set) var markerNames: [[UInt8]] = []
  /// Whether files `.todanaignore` are read; `--no-ignore-files` switches that off.
  public var readsIgnoreFiles = true
  /// `--exclude-larger-than`: regular files with more bytes are left out; nil for no limit.
  public var largestFile: ByteSize?
  /// `--one-file-system`: leaves out files on devices that none of the given paths is on.
  ///
  /// A directory where another one is mounted is included without its content.
  public var staysOnFileSystem = false

  /// Leaves nothing out.
  public init() {}

  /// `--exclude PATTERN`.
  ///
  /// - Throws: ``ArgumentError/Code/flawedPattern`` for one that matches nothing.
  public mutating func exclude(_ pattern: [UInt8]) throws(ArgumentError) {
    try append(PatternRule(Pattern(pattern), origin: .excludeOption))
  }

  /// `--exclude-from FILE`: every line is a pattern, as in a `.todanaignore` file.
  ///
  /// - Parameters:
  ///   - content: What the file holds.
  ///   - path: The file's path, for messages.
  /// - Throws: ``ArgumentError/Code/flawedPattern`` for the first that matches nothing; then none is added.
  public mutating func exclude(lines content: [UInt8], of path: [UInt8]) throws(ArgumentError) {
    var added = PatternList()
    added.append(lines: content, of: path)
    for rule in added.rules { try Self.check(rule) }
    for rule in added.rules { rules.append(rule) }
  }

  /// `--include PATTERN`: takes back what a rule before it left out, unless a directory above was left out.
  ///
  /// A command line that does not know the order of its options adds these last.
  ///
  /// - Throws: ``ArgumentError/Code/flawedPattern`` for one that matches nothing, or begins with `!`.
  public mutating func include(_ pattern: [UInt8]) throws(ArgumentError) {
    let rule = PatternRule(Pattern(pattern), origin: .includeOption)
    if rule.pattern.isNegated {
      throw ArgumentError(
        .flawedPattern, "\(rule) takes back what is taken back: leave out the “!”, or write “\\!” for the character.")
    }
    try append(rule)
  }

  /// `--exclude-if-present NAME`.
  ///
  /// - Throws: ``ArgumentError/Code/invalidName`` for what is not the name of a file in a directory.
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
