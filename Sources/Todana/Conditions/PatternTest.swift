/// A matcher of texts that a scan tests.
protocol TextMatcher: Sendable {
  /// The name of the operation and the pattern, for people.
  var description: String { get }
  /// The reason why the pattern is invalid; nil if it is valid.
  var problem: String? { get }

  /// Tests whether the pattern matches a text, given by its UTF-8.
  func matches(_ text: String) -> Bool

  /// The text with which all matching texts begin; nil if there is none.
  var prefix: String? { get }
}

/// A test that a text matches a pattern.
struct PatternTest<Root: StoreIdentifiable, Matcher: TextMatcher>: ConditionTest {
  private let path: PropertyPath
  private let isOptional: Bool
  private let text: @Sendable (Root) throws(StoreError) -> String?
  private let folding: Folding
  private let matcher: Matcher

  /// Makes a test of a text as it is.
  init<Value: OptionalText>(_ property: Property<Root, Value>, _ matcher: Matcher) {
    let read = property.read
    path = property.path
    isOptional = Value.self is any AbsentValue.Type
    text = { object throws(StoreError) in try read(object).optionalText }
    folding = .none
    self.matcher = matcher
  }

  /// Makes a test of a folded text.
  init(_ property: FoldedProperty<Root>, _ matcher: Matcher) {
    let read = property.property.read
    path = property.property.path
    isOptional = true
    text = { object throws(StoreError) in try read(object)?.description }
    folding = property.folding
    self.matcher = matcher
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    guard let text = try text(unsafe unsafeDowncast(object, to: Root.self)) else { return false }
    return matcher.matches(text)
  }

  var paths: [PropertyPath] { [path] }
  var readsOwnProperties: Bool { path.isOwnProperty }

  var ranges: ValueRanges? {
    guard folding == .none, let prefix = matcher.prefix else { return nil }
    var ranges = prefixRanges(of: Array(prefix.utf8), isOptional: isOptional, path)
    ranges.isExact = false
    return ranges
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { Array((folding.rawValue + " " + matcher.description).utf8) }
  var problem: String? { matcher.problem }
  var description: String { "\(path.description) \(matcher.description)" }
}

/// A pattern of SQL's `LIKE`: `%` for any number of characters, `_` for one Unicode scalar, `\\` before an ordinary one.
struct LikePattern: TextMatcher {
  private enum Part: Equatable {
    case scalar(Unicode.Scalar)
    case one
    case many
  }

  private let pattern: String
  private let parts: [Part]

  init(_ pattern: String, folding: Folding) {
    self.pattern = pattern
    var parts: [Part] = []
    var ordinary = ""
    func addOrdinary() {
      let folded = FoldedText(ordinary, folding).description
      parts += folded.unicodeScalars.map { .scalar($0) }
      ordinary = ""
    }
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        ordinary.unicodeScalars.append(scalar)
        isEscaped = false
        continue
      }
      switch scalar {
      case "\\": isEscaped = true
      case "%", "_":
        addOrdinary()
        let part: Part = scalar == "_" ? .one : .many
        if part == .one || parts.last != .many { parts.append(part) }
      default: ordinary.unicodeScalars.append(scalar)
      }
    }
    // A backslash at the end stands for itself.
    if isEscaped { ordinary.append("\\") }
    addOrdinary()
    self.parts = parts
  }

  /// Tests a text; after a mismatch, the last `%` takes one more scalar.
  ///
  /// - Complexity: O(*n* · *m*) in the lengths of text and pattern; O(*n*) for most patterns.
  func matches(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    var position = scalars.startIndex
    var part = 0
    var retry: (position: String.Index, part: Int)?
    while position < scalars.endIndex {
      if part < parts.count, parts[part] == .many {
        part += 1
        if part == parts.count { return true }
        retry = (position, part)
      } else if part < parts.count, parts[part] == .one || parts[part] == .scalar(scalars[position]) {
        part += 1
        scalars.formIndex(after: &position)
      } else if let last = retry {
        position = scalars.index(after: last.position)
        part = last.part
        retry = (position, part)
      } else {
        return false
      }
    }
    while part < parts.count, parts[part] == .many { part += 1 }
    return part == parts.count
  }

  var prefix: String? {
    var prefix = ""
    for part in parts {
      guard case .scalar(let scalar) = part else { break }
      prefix.unicodeScalars.append(scalar)
    }
    return prefix.isEmpty ? nil : prefix
  }

  var problem: String? { nil }
  var description: String { "like \(describe(pattern))" }
}

/// A regular expression in the syntax of Swift's `Regex`.
///
/// Safe to share: the expression was parsed from a text, so it contains no code of the program, and it was compiled
/// before it is shared.
@safe
struct RegexPattern: TextMatcher, @unchecked Sendable {
  private let pattern: String
  private let isWhole: Bool
  private let regex: Regex<AnyRegexOutput>?
  let problem: String?

  init(_ pattern: String, isWhole: Bool, folding: Folding) {
    self.pattern = pattern
    self.isWhole = isWhole
    do {
      var regex = try Regex(pattern)
      if folding != .none { regex = regex.ignoresCase() }
      // The first match compiles the expression.
      _ = try regex.firstMatch(in: "")
      self.regex = regex
      problem = nil
    } catch {
      regex = nil
      problem = "The regular expression \(describe(pattern)) is invalid: \(error)"
    }
  }

  func matches(_ text: String) -> Bool {
    guard let regex else { return false }
    // An expression without code throws no errors.
    return (isWhole ? try? regex.wholeMatch(in: text) : try? regex.firstMatch(in: text)) != nil
  }

  var prefix: String? { nil }
  var description: String { "\(isWhole ? "matches" : "contains match of") \(describe(pattern))" }
}
