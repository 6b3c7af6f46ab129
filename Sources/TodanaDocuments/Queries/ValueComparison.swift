internal import Todana

/// A comparison of values of documents, in which values of different kinds are never less or greater.
enum ValueComparison: String, Sendable {
  case equal = "=="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  func holds(_ lhs: DocumentValue, _ rhs: DocumentValue) -> Bool {
    guard lhs.kind == rhs.kind else { return false }
    let order = DocumentValue.order(lhs, rhs)
    // Like nil, null is neither less nor greater.
    if lhs.isNull { return self == .equal || self == .lessOrEqual || self == .greaterOrEqual }
    switch self {
    case .equal: return order == 0
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    case .greaterOrEqual: return order >= 0
    }
  }

  /// Returns the keys of all values that compare so with a value.
  ///
  /// - Parameters:
  ///   - value: The value on the right side, which is not null.
  ///   - prefix: The bytes before the key of each value.
  /// - Returns: The ranges; nil if an index does not help.
  func keyRanges(_ value: DocumentValue, after prefix: [UInt8]) -> KeyRanges? {
    // The two Booleans are two kinds of keys.
    if self != .equal, value.kind == .bool { return nil }
    let bounds = prefix + [value.kind.rawValue]
    let none: DocumentValue? = Optional.none
    switch self {
    case .equal: return KeyRanges(after: prefix, from: value, to: value)
    case .less: return KeyRanges(after: prefix, from: none, to: value, includesUpper: false, within: bounds)
    case .lessOrEqual: return KeyRanges(after: prefix, from: none, to: value, within: bounds)
    case .greater: return KeyRanges(after: prefix, from: value, includesLower: false, to: none, within: bounds)
    case .greaterOrEqual: return KeyRanges(after: prefix, from: value, to: none, within: bounds)
    }
  }
}

/// The condition that the value at a path compares with another one; a missing value counts as null.
struct ComparedValue: ValueCondition {
  let comparison: ValueComparison
  let value: DocumentValue
  let operand: [UInt8]

  init(_ comparison: ValueComparison, _ value: DocumentValue) {
    self.comparison = comparison
    self.value = value
    operand = Array(comparison.rawValue.utf8) + [0] + ((try? EncodedValue(value).bytes) ?? [])
  }

  func isMet(by other: DocumentValue?) -> Bool { comparison.holds(other ?? .null, value) }

  var keyRanges: KeyRanges? {
    if !value.isNull { return comparison.keyRanges(value, after: [1]) }
    switch comparison {
    case .equal, .lessOrEqual, .greaterOrEqual: return KeyRanges(equal: Optional<DocumentValue>.none)
    case .less, .greater: return nil
    }
  }

  var description: String { "\(comparison.rawValue) \(shown(value))" }
}

/// The condition that a value at a path with `[*]` or `**` compares with another one.
struct ComparedElement: ValueCondition {
  private let compared: ComparedValue

  init(_ comparison: ValueComparison, _ value: DocumentValue) { compared = ComparedValue(comparison, value) }

  var operand: [UInt8] { compared.operand }
  func isMet(by element: DocumentElement) -> Bool { compared.isMet(by: element.value) }

  var keyRanges: KeyRanges? {
    if compared.value.isNull { return nil }
    var ranges: KeyRanges?
    for place in DocumentElement.Place.all {
      guard let some = compared.comparison.keyRanges(compared.value, after: [place]) else { return nil }
      ranges = ranges?.joined(with: some) ?? some
    }
    return ranges
  }

  var description: String { compared.description }
}

/// The condition that a value at a path with `[*]` or `**` is in a range that includes its bounds.
struct ElementInRange: ValueCondition {
  private let lower: ComparedValue
  private let upper: ComparedValue

  init(_ lower: DocumentValue, _ upper: DocumentValue) {
    self.lower = ComparedValue(.greaterOrEqual, lower)
    self.upper = ComparedValue(.lessOrEqual, upper)
  }

  func isMet(by element: DocumentElement) -> Bool { lower.isMet(by: element.value) && upper.isMet(by: element.value) }

  var keyRanges: KeyRanges? {
    let kind = lower.value.kind
    guard kind == upper.value.kind, kind != .null, kind != .bool else { return nil }
    let ranges = DocumentElement.Place.all.map { KeyRanges(after: [$0], from: lower.value, to: upper.value) }
    return ranges[0].joined(with: ranges[1])
  }

  var operand: [UInt8] { lower.operand + [0] + upper.operand }
  var description: String { "\(lower.description) and \(upper.description)" }
}

/// The condition that one text is in a range that includes its bounds.
struct TextInRange: ValueCondition {
  let lower: TextCondition
  let upper: TextCondition

  func isMet(by text: String) -> Bool { lower.isMet(by: text) && upper.isMet(by: text) }
  var operand: [UInt8] { Array("\(lower.operand.count):".utf8) + lower.operand + upper.operand }
  var description: String { "\(lower.description) and \(upper.description)" }
}

/// The condition that the value at a path equals one of several values; a missing value counts as null.
struct ListedValue: ValueCondition {
  let operand: [UInt8]
  private let values: Set<DocumentValue>

  init(_ values: [DocumentValue]) {
    self.values = Set(values)
    operand = (try? EncodedValue(DocumentValue(values)).bytes) ?? []
  }

  func isMet(by value: DocumentValue?) -> Bool { values.contains(value ?? .null) }

  var keyRanges: KeyRanges? {
    guard !values.isEmpty, !values.contains(.null) else { return nil }
    var ranges: KeyRanges?
    for value in values {
      let single = KeyRanges(equal: Optional.some(value))
      ranges = ranges?.joined(with: single) ?? single
    }
    return ranges
  }

  var description: String { "in \(values.count) values" }
}

/// The condition that a value at a path with `[*]` or `**` equals one of several values.
struct ListedElement: ValueCondition {
  private let list: ListedValue

  init(_ values: [DocumentValue]) { list = ListedValue(values) }

  var operand: [UInt8] { list.operand }
  func isMet(by element: DocumentElement) -> Bool { list.isMet(by: element.value) }
  var description: String { list.description }
}

/// The condition that a value contains another one: an array an equal element, a text a part.
struct ContainedValue: ValueCondition {
  let operand: [UInt8]
  private let part: DocumentValue
  private let ignoring: IgnoredDifferences
  /// The conditions on texts in an array and on others; nil if the part is no text.
  private let texts: (inArray: TextCondition, other: TextCondition)?

  /// Makes the condition; `ignoring` has the differences between texts that do not count.
  init(_ part: DocumentValue, ignoring: IgnoredDifferences = .nothing) {
    self.part = part
    self.ignoring = ignoring
    texts = part.string.map { (.equal($0, ignoring: ignoring), .contains($0, ignoring: ignoring)) }
    operand = texts?.other.operand ?? (try? EncodedValue(part).bytes) ?? []
  }

  func isMet(by element: DocumentElement) -> Bool {
    guard let texts else { return element.isInArray && element.value == part }
    guard let text = element.value.string else { return false }
    return element.isInArray ? texts.inArray.isMet(by: text) : texts.other.isMet(by: text)
  }

  var keyRanges: KeyRanges? {
    guard ignoring == .nothing else { return nil }
    let place = DocumentElement.Place.self
    let elements = KeyRanges(after: [place.inArray], from: part, to: part)
    if texts == nil { return elements }
    // A text that is no element may contain the part anywhere.
    return elements.joined(
      with: KeyRanges(
        beginningWith: { key in
          key.append(place.own)
          key.append(DocumentKind.string.rawValue)
        }, isExact: false))
  }

  var description: String { "contains \(shown(part))" }
}

/// The condition that a value is of a kind; nil for any value that is there, also null.
struct PresentElement: ValueCondition {
  let kind: DocumentKind?

  func isMet(by element: DocumentElement) -> Bool { kind.map { element.value.kind == $0 } ?? true }
  var description: String { kind.map { "is \($0)" } ?? "exists" }
}

/// Returns a text of a value for explanations.
private func shown(_ value: DocumentValue) -> String {
  let text = value.description
  return text.count > 60 ? "\(text.prefix(60))…" : text
}
