import TestSupport
import Todana

/// A generator of random texts and the conditions they express.
struct QueryTextGenerator {
  struct RandomCondition {
    var text: String
    var arguments: [(any Sendable)?] = []
    var condition: Condition<Piece>
  }

  private var generator: SeededGenerator
  private static let properties = Properties<Piece>()

  init(_ generator: SeededGenerator) { self.generator = generator }

  private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func word() -> String { QueryGenerator.words[number(QueryGenerator.words.count)] }

  mutating func condition(depth: Int) -> RandomCondition {
    guard depth > 0, number(3) > 0 else { return test() }
    var left = condition(depth: depth - 1)
    if number(4) == 0 {
      left.text = "\(keyword("not")) (\(left.text))"
      left.condition = !left.condition
      return left
    }
    let right = condition(depth: depth - 1)
    let isAll = number(2) == 0
    return RandomCondition(
      text: "(\(left.text)) \(keyword(isAll ? "and" : "or")) (\(right.text))",
      arguments: left.arguments + right.arguments,
      condition: isAll ? left.condition && right.condition : left.condition || right.condition)
  }

  private mutating func keyword(_ word: String) -> String { number(2) == 0 ? word : word.uppercased() }

  /// Returns a value as a literal or as a question mark.
  private mutating func value(_ value: (any Sendable)?) -> (text: String, arguments: [(any Sendable)?]) {
    guard number(2) == 0 else { return ("?", [value]) }
    guard let value else { return (keyword("null"), []) }
    if let word = value as? String { return ("'\(word.replacing("'", with: "''"))'", []) }
    return ("\(value)", [])
  }

  private mutating func test() -> RandomCondition {
    let properties = Self.properties
    switch number(8) {
    case 0:
      let bound = number(22)
      let written = value(bound)
      let operation = number(6)
      return RandomCondition(
        text: "seconds \(Self.operators[operation]) \(written.text)", arguments: written.arguments,
        condition: Self.compare(properties.seconds, UInt32(bound), operation))
    case 1:
      let word = number(4) == 0 ? nil : word()
      let written = value(word)
      let operation = number(6)
      return RandomCondition(
        text: "genre\(Self.operators[operation])\(written.text)", arguments: written.arguments,
        condition: Self.compare(properties.genre, word, operation))
    case 2:
      let bound = [0, -1, 2.5, 1e300][number(4)]
      let written = value(bound)
      let operation = number(6)
      return RandomCondition(
        text: "rating \(Self.operators[operation]) \(written.text)", arguments: written.arguments,
        condition: Self.compare(properties.rating, bound, operation))
    case 3:
      let words = (0..<number(4)).map { _ in word() }
      return RandomCondition(
        text: "title \(keyword("in")) ?", arguments: [words], condition: properties.title.isIn(words))
    case 4:
      let word = word()
      let written = value(word)
      return RandomCondition(
        text: "title \(keyword("beginswith")) \(written.text)", arguments: written.arguments,
        condition: properties.title.hasPrefix(word))
    case 5:
      let word = word()
      let written = value(word)
      return RandomCondition(
        text: "title \(keyword("contains"))[c]\(written.text)", arguments: written.arguments,
        condition: properties.title.folded.contains(word))
    case 6:
      let word = word()
      let written = value(word)
      return RandomCondition(
        text: "tags \(keyword("contains")) \(written.text)", arguments: written.arguments,
        condition: properties.tags.contains(word))
    default: return RandomCondition(text: "isFavourite", condition: properties.isFavourite.condition)
    }
  }

  private static let operators = ["=", "!=", "<", "<=", ">", ">="]

  private static func compare<Value: OrderedValue>(
    _ property: Property<Piece, Value>, _ value: Value, _ operation: Int
  ) -> Condition<Piece> {
    switch operation {
    case 0: property == value
    case 1: property != value
    case 2: property < value
    case 3: property <= value
    case 4: property > value
    default: property >= value
    }
  }
}
