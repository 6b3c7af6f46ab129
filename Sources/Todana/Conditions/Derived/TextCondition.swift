/// A condition on a text, for properties with several texts.
///
/// ```swift
/// try store.fetch(Song.where { $0.tags.hasElement(TextCondition.contains("blue", ignoring: .letterCase)) })
/// ```
///
/// Texts are compared by their UTF-8, like those of other conditions. No index serves such a condition.
public struct TextCondition: ValueCondition {
  private enum Test: Sendable {
    case compares(Comparison, FoldedText)
    case isOneOf(Set<[UInt8]>)
    case has(TextMatch, FoldedText)
    case fits(any TextMatcher)
  }

  private let test: Test
  private let folding: Folding
  public let description: String

  private init(_ test: Test, _ ignoring: IgnoredDifferences, _ description: String) {
    self.test = test
    folding = ignoring.folding
    self.description = description
  }

  // MARK: Comparisons

  public static func equal(_ text: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    compared(.equal, text, ignoring)
  }

  public static func less(than text: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    compared(.less, text, ignoring)
  }

  public static func lessOrEqual(_ text: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    compared(.lessOrEqual, text, ignoring)
  }

  public static func greater(than text: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    compared(.greater, text, ignoring)
  }

  public static func greaterOrEqual(_ text: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    compared(.greaterOrEqual, text, ignoring)
  }

  public static func isIn(_ texts: some Sequence<String>, ignoring: IgnoredDifferences = .nothing) -> Self {
    let list = Set(texts.map { FoldedText($0, ignoring.folding).bytes })
    return Self(.isOneOf(list), ignoring, "in \(list.count) texts")
  }

  private static func compared(_ comparison: Comparison, _ text: String, _ ignoring: IgnoredDifferences) -> Self {
    Self(
      .compares(comparison, FoldedText(text, ignoring.folding)), ignoring, "\(comparison.rawValue) \(describe(text))")
  }

  // MARK: Parts and patterns

  public static func contains(_ part: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    has(.contains, part, ignoring)
  }

  public static func hasPrefix(_ part: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    has(.prefix, part, ignoring)
  }

  public static func hasSuffix(_ part: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    has(.suffix, part, ignoring)
  }

  /// Returns the condition that the text matches a pattern of SQL's `LIKE` (``Property/like(_:)``).
  public static func like(_ pattern: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    fits(LikePattern(pattern, folding: ignoring.folding), ignoring)
  }

  /// Returns the condition that a regular expression matches the entire text.
  ///
  /// An invalid expression makes a query with the condition throw. See ``Property/matches(regex:)``.
  public static func matches(regex: String, ignoring: IgnoredDifferences = .nothing) -> Self {
    fits(RegexPattern(regex, isWhole: true, folding: ignoring.folding), ignoring)
  }

  private static func has(_ match: TextMatch, _ part: String, _ ignoring: IgnoredDifferences) -> Self {
    Self(.has(match, FoldedText(part, ignoring.folding)), ignoring, "\(match.rawValue) \(describe(part))")
  }

  private static func fits(_ matcher: some TextMatcher, _ ignoring: IgnoredDifferences) -> Self {
    Self(.fits(matcher), ignoring, matcher.description)
  }

  // MARK: Testing

  public func isMet(by text: String) -> Bool {
    switch test {
    case .compares(let comparison, let other): comparison.holds(FoldedText(text, folding), other)
    case .isOneOf(let list): list.contains(FoldedText(text, folding).bytes)
    case .has(let match, let part): match.holds(FoldedText(text, folding), part)
    case .fits(let matcher): matcher.matches(folding == .none ? text : FoldedText(text, folding).description)
    }
  }

  public var operand: [UInt8] {
    var operand = Array("\(folding.rawValue) \(description)".utf8) + [0]
    switch test {
    case .compares(_, let text), .has(_, let text): operand += text.bytes
    case .isOneOf(let list):
      for bytes in list.sorted(by: { $0.lexicographicallyPrecedes($1) }) { operand += "\(bytes.count):".utf8 + bytes }
    case .fits: break
    }
    return operand
  }

  public var problem: String? {
    if case .fits(let matcher) = test { return matcher.problem }
    return nil
  }
}

/// The differences between texts that a condition does not count.
@nonexhaustive
public enum IgnoredDifferences: Sendable {
  case nothing
  /// The case of letters; `[i]`.
  case letterCase
  /// The case of letters, and accents; `[c]`.
  case caseAndAccents

  var folding: Folding {
    switch self {
    case .nothing: .none
    case .letterCase: .caseOnly
    case .caseAndAccents: .caseAndAccents
    }
  }
}
