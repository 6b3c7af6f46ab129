/// How many snapshots, or periods that have some, a rule keeps.
public enum KeepCount: Sendable, Hashable, CustomStringConvertible {
  /// The newest so many; with 0 there is no such rule.
  case newest(Int)
  case all

  /// No such rule.
  public static let none = KeepCount.newest(0)

  /// Reads a number, or `all`, for which `-1` and `unlimited` stand as well, as with restic.
  ///
  /// - Throws: ``RetentionError/Code/invalidCount`` for anything else.
  public init(_ text: String) throws(RetentionError) {
    if text == "all" || text == "unlimited" || text == "-1" {
      self = .all
    } else if let count = Int(text), count >= 0, text.first != "+" {
      self = .newest(count)
    } else {
      throw RetentionError(
        .invalidCount, "“\(PrintableBytes.text(of: Array(text.utf8)))” is not a number of snapshots: write 7, or all.")
    }
  }

  /// Whether the rule keeps anything.
  var isRule: Bool {
    switch self {
    case .all: true
    // A number below zero, which cannot be read, is no rule either; `-1` is ``all`` only as text.
    case .newest(let count): count > 0
    }
  }

  /// Takes one off; false if none is left.
  mutating func take() -> Bool {
    switch self {
    case .all: return true
    case .newest(let count):
      guard count > 0 else { return false }
      self = .newest(count - 1)
      return true
    }
  }

  public var description: String {
    switch self {
    case .all: "all"
    case .newest(let count): "\(count)"
    }
  }
}
