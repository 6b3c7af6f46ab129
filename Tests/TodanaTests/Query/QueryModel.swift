import TestSupport
import Todana

/// The content of a ``Piece`` as a plain value.
struct PieceValues {
  var rowID: RowID
  var title: String
  var seconds: UInt32
  var genre: String?
  var isrc: String?
  var rating: Double
  var isFavourite: Bool
  var tags: [String]
  var album: RowID?
  var albumTitle: String?

  init(_ tune: Piece, rowID: RowID) {
    self.rowID = rowID
    title = tune.title
    seconds = tune.seconds
    genre = tune.genre
    isrc = tune.isrc
    rating = tune.rating
    isFavourite = tune.isFavourite
    tags = tune.tags
    album = tune.album?.id?.rowID
    albumTitle = tune.album?.title
  }
}

/// A condition, with an independent implementation of it for plain values.
struct ModelCondition {
  var condition: Condition<Piece>
  var holds: (PieceValues) -> Bool
  var text: String
}

/// A sort key, with an independent comparison: below 0, 0 or above.
struct ModelSort {
  var add: (Query<Piece>) -> Query<Piece>
  var order: (PieceValues, PieceValues) -> Int
}

struct QueryGenerator {
  var generator: SeededGenerator
  let albums: [Disc]

  static let words = [
    "", "a", "A", "ab", "B side", "Blue", "blue", "Écoute", "ecoute", "e\u{301}coute", "Straße", "STRASSE", "z",
    "\u{0}", "a\u{0}b",
    "Ωmega", "日本", String(repeating: "long ", count: 40), String(repeating: "long ", count: 40) + "x",
    String(repeating: "long ", count: 60),
  ]
  static let ratings: [Double] = [0, -0.0, 1, -1, 2.5, .infinity, -.infinity, .nan, 1e300, 4.75]

  mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
  mutating func word() -> String { Self.words[number(Self.words.count)] }
  mutating func optionalWord() -> String? { number(4) == 0 ? nil : Self.words[number(8)] }
  mutating func rating() -> Double { Self.ratings[number(Self.ratings.count)] }

  mutating func fill(_ tune: Piece, uniqueNumber: inout Int) {
    tune.title = word()
    tune.seconds = UInt32(number(20))
    tune.genre = optionalWord()
    uniqueNumber += 1
    tune.isrc = number(3) == 0 ? nil : "I\(uniqueNumber)"
    tune.rating = rating()
    tune.isFavourite = number(2) == 0
    tune.tags = (0..<number(4)).map { _ in Self.words[number(6)] }
    tune.album = number(3) == 0 ? nil : albums[number(albums.count)]
  }

  mutating func condition(depth: Int = 3) -> ModelCondition {
    if depth > 0, number(3) > 0 {
      let left = condition(depth: depth - 1)
      switch number(3) {
      case 0:
        return ModelCondition(condition: !left.condition, holds: { !left.holds($0) }, text: "!(\(left.text))")
      case 1:
        let right = condition(depth: depth - 1)
        return ModelCondition(
          condition: left.condition && right.condition, holds: { left.holds($0) && right.holds($0) },
          text: "(\(left.text)) && (\(right.text))")
      default:
        let right = condition(depth: depth - 1)
        return ModelCondition(
          condition: left.condition || right.condition, holds: { left.holds($0) || right.holds($0) },
          text: "(\(left.text)) || (\(right.text))")
      }
    }
    return test()
  }

  private mutating func test() -> ModelCondition {
    switch number(14) {
    case 0, 1:
      let (bound, operation) = (UInt32(number(22)), number(6))
      return ModelCondition(
        condition: compare(\.seconds, bound, operation), holds: { Self.holds(operation, $0.seconds, bound, <) },
        text: "seconds \(operation) \(bound)")
    case 2:
      let (bound, operation) = (word(), number(6))
      return ModelCondition(
        condition: compare(\.title, bound, operation),
        holds: { Self.holds(operation, Array($0.title.utf8), Array(bound.utf8)) { $0.lexicographicallyPrecedes($1) } },
        text: "title \(operation) \(bound)")
    case 3, 4:
      let (bound, operation) = (optionalWord(), number(6))
      return ModelCondition(
        condition: compare(\.genre, bound, operation),
        holds: { Self.holds(operation, $0.genre.map { Array($0.utf8) }, bound.map { Array($0.utf8) }) },
        text: "genre \(operation) \(bound ?? "nil")")
    case 5:
      let (bound, operation) = (rating(), number(6))
      return ModelCondition(
        condition: compare(\.rating, bound, operation),
        holds: { Self.holds(operation, Self.rank($0.rating), Self.rank(bound), <) },
        text: "rating \(operation) \(bound)")
    case 6:
      let values = (0..<number(4)).map { _ in optionalWord() }
      return ModelCondition(
        condition: Properties<Piece>().genre.isIn(values),
        holds: { tune in values.contains { $0.map { Array($0.utf8) } == tune.genre.map { Array($0.utf8) } } },
        text: "genre in \(values)")
    case 7:
      let (low, high) = (UInt32(number(20)), UInt32(number(20)))
      let range = min(low, high)...max(low, high)
      return ModelCondition(
        condition: Properties<Piece>().seconds.isIn(range), holds: { range.contains($0.seconds) },
        text: "seconds in \(range)")
    case 8: return textTest()
    case 9: return foldedTest()
    case 10:
      let tag = Self.words[number(6)]
      return ModelCondition(
        condition: Properties<Piece>().tags.contains(tag),
        holds: { $0.tags.contains { Array($0.utf8) == Array(tag.utf8) } }, text: "tags contain \(tag)")
    case 11:
      let album = number(4) == 0 ? nil : albums[number(albums.count)]
      let row = album?.id?.rowID
      return ModelCondition(
        condition: Properties<Piece>().album == album, holds: { $0.album == row }, text: "album == \(row ?? 0)")
    case 12:
      let title = albums[number(albums.count)].title
      return ModelCondition(
        condition: Properties<Piece>().album.title == title, holds: { $0.albumTitle == title },
        text: "album.title == \(title)")
    default:
      return ModelCondition(
        condition: Properties<Piece>().isFavourite.condition, holds: { $0.isFavourite }, text: "isFavourite")
    }
  }

  private mutating func textTest() -> ModelCondition {
    let part = Self.words[number(12)]
    let bytes = Array(part.utf8)
    switch number(3) {
    case 0:
      return ModelCondition(
        condition: Properties<Piece>().title.hasPrefix(part), holds: { Array($0.title.utf8).starts(with: bytes) },
        text: "title begins with \(part)")
    case 1:
      return ModelCondition(
        condition: Properties<Piece>().genre.hasSuffix(part),
        holds: { $0.genre.map { Array($0.utf8.reversed()).starts(with: bytes.reversed()) } ?? false },
        text: "genre ends in \(part)")
    default:
      return ModelCondition(
        condition: Properties<Piece>().title.contains(part), holds: { Self.contains(Array($0.title.utf8), bytes) },
        text: "title contains \(part)")
    }
  }

  private mutating func foldedTest() -> ModelCondition {
    let part = Self.words[number(13)]
    let folded = Self.fold(part)
    switch number(3) {
    case 0:
      return ModelCondition(
        condition: Properties<Piece>().title.folded == part, holds: { Self.fold($0.title) == folded },
        text: "folded title == \(part)")
    case 1:
      return ModelCondition(
        condition: Properties<Piece>().title.folded.hasPrefix(part),
        holds: { Self.fold($0.title).starts(with: folded) },
        text: "folded title begins with \(part)")
    default:
      return ModelCondition(
        condition: Properties<Piece>().genre.folded < part,
        holds: { $0.genre.map { Self.fold($0).lexicographicallyPrecedes(folded) } ?? false },
        text: "folded genre < \(part)")
    }
  }

  mutating func sort() -> ModelSort {
    let isDescending = number(2) == 0
    let order: SortOrder = isDescending ? .descending : .ascending
    func turned(_ order: Int) -> Int { isDescending ? -order : order }
    func bytes(_ text: String?) -> [UInt8] { text.map { [1] + $0.utf8 } ?? [] }
    switch number(5) {
    case 0:
      return ModelSort(add: { $0.sorted(by: \.title, order) }) { turned(Self.order(bytes($0.title), bytes($1.title))) }
    case 1:
      return ModelSort(add: { $0.sorted(by: \.seconds, order) }) { turned(Int($0.seconds) - Int($1.seconds)) }
    case 2:
      return ModelSort(add: { $0.sorted(by: \.genre, order) }) { turned(Self.order(bytes($0.genre), bytes($1.genre))) }
    case 3:
      return ModelSort(add: { $0.sorted(by: \.rating, order) }) { lhs, rhs in
        let (left, right) = (Self.rank(lhs.rating), Self.rank(rhs.rating))
        return turned(left == right ? 0 : left < right ? -1 : 1)
      }
    default:
      return ModelSort(add: { $0.sorted(byFolded: \.title, order) }) {
        turned(Self.order(Self.fold($0.title), Self.fold($1.title)))
      }
    }
  }

  // MARK: Meanings

  private func compare<Value: OrderedValue>(
    _ keyPath: any KeyPath<Piece, Value> & Sendable, _ value: Value, _ operation: Int
  ) -> Condition<Piece> {
    let property = Properties<Piece>()[dynamicMember: keyPath]
    switch operation {
    case 0: return property == value
    case 1: return property != value
    case 2: return property < value
    case 3: return property <= value
    case 4: return property > value
    default: return property >= value
    }
  }

  private static func holds<Value: Equatable>(
    _ operation: Int, _ lhs: Value, _ rhs: Value, _ precedes: (Value, Value) -> Bool
  ) -> Bool {
    switch operation {
    case 0: lhs == rhs
    case 1: lhs != rhs
    case 2: precedes(lhs, rhs)
    case 3: precedes(lhs, rhs) || lhs == rhs
    case 4: precedes(rhs, lhs)
    default: precedes(rhs, lhs) || lhs == rhs
    }
  }

  private static func holds(_ operation: Int, _ lhs: [UInt8]?, _ rhs: [UInt8]?) -> Bool {
    holds(operation, lhs, rhs) { lhs, rhs in
      guard let lhs, let rhs else { return false }
      return lhs.lexicographicallyPrecedes(rhs)
    }
  }

  /// Returns a rank in which NaN is above all other numbers.
  private static func rank(_ value: Double) -> Rank { Rank(value) }

  private static func order(_ lhs: [UInt8], _ rhs: [UInt8]) -> Int {
    lhs == rhs ? 0 : lhs.lexicographicallyPrecedes(rhs) ? -1 : 1
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    part.isEmpty || text.indices.contains { text[$0...].starts(with: part) }
  }

  /// Folds a text by a table of the special words in use.
  static func fold(_ text: String) -> [UInt8] {
    let special = [
      "Écoute": "ecoute", "e\u{301}coute": "ecoute", "Straße": "strasse", "Ωmega": "ωmega", "日本": "日本",
    ]
    if let folded = special.first(where: { Array($0.key.utf8) == Array(text.utf8) }) { return Array(folded.value.utf8) }
    return Array(text.lowercased().utf8)
  }
}

/// A Double in the order of index keys.
struct Rank: Equatable, Comparable {
  let value: Double
  init(_ value: Double) { self.value = value }
  static func == (lhs: Rank, rhs: Rank) -> Bool { lhs.value == rhs.value || (lhs.value.isNaN && rhs.value.isNaN) }
  static func < (lhs: Rank, rhs: Rank) -> Bool {
    if lhs.value.isNaN { return false }
    return rhs.value.isNaN || lhs.value < rhs.value
  }
}
