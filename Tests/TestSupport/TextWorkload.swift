public import Todana

/// Saves of texts that depend only on their number, so that a second process knows the state after each one.
///
/// Save *n* inserts eight leaflets, rewrites four that are three saves old, and deletes two that are five saves old and
/// all that are 30 saves old. Texts have words of several scripts; a few are empty, missing or very long.
public enum TextWorkload {
  public static let classes: [StoredObject.Type] = [Leaflet.self]
  /// The encryption of the store, for tests with an encrypted one.
  public static let encryption = StoreEncryption.key([UInt8](repeating: 0x5A, count: 16))
  public static let secret = StoreSecret.key([UInt8](repeating: 0x5A, count: 16))
  /// The words that texts are made of.
  public static let words = [
    "harbour", "Lantern", "lanterns", "Écluse", "ÉCLUSES", "running", "runs", "the", "of", "漢字かな交じり文", "文件を開く",
    "Straße", "👩‍👩‍👧", "x", "книгами", "가나다", "harbouring", "the", "the", "quartz",
  ]

  /// A class with text indexes, which are merged only on demand.
  public final class Leaflet: StoredObject {
    public var number: Int64 = 0
    public var title = ""
    public var text: String?

    public override class var textIndexes: [TextIndex] {
      [
        TextIndex(\Leaflet.title, \Leaflet.text, name: "all", weights: [3, 1], language: .english),
        TextIndex(\Leaflet.text, name: "text"),
      ]
    }

    public override func readContent(from buffer: inout DataBuffer) throws {
      number = try buffer.readInt64()
      title = try buffer.readString()
      text = try buffer.readOptionalString()
    }
    public override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt64(number)
      buffer.writeString(title)
      buffer.writeOptionalString(text)
    }

    /// Takes the texts of a revision.
    public func fill(_ number: Int64, revision: Int) {
      let texts = Texts(number, revision: revision)
      (self.number, title, text) = (number, texts.title, texts.text)
    }
  }

  /// The texts of a leaflet.
  public struct Texts: Equatable, Sendable {
    public let title: String
    public let text: String?

    public init(title: String, text: String?) { (self.title, self.text) = (title, text) }

    /// Makes the texts that a leaflet has after a save.
    public init(_ number: Int64, revision: Int) {
      var random = SeededGenerator(seed: UInt64(number) << 20 ^ UInt64(revision))
      func words(_ count: Int) -> String {
        (0..<count).map { _ in TextWorkload.words.randomElement(using: &random) ?? "" }.joined(separator: " ")
      }
      title = "\(words(2)) n\(number) r\(revision)"
      switch random.next() % 40 {
      case 0: text = nil
      case 1: text = ""
      case 2: text = words(300)
      default: text = words(Int(random.next() % 12))
      }
    }
  }

  /// The texts of all leaflets, by their numbers.
  public static func state(after saveCount: Int) -> [Int64: Texts] {
    var state: [Int64: Texts] = [:]
    guard saveCount > 0 else { return state }
    for save in max(1, saveCount - 29)...saveCount {
      for place in 0..<8 {
        if place >= 6, saveCount >= save + 5 { continue }
        let revision = place < 4 && saveCount >= save + 3 ? save + 3 : save
        state[number(save, place)] = Texts(number(save, place), revision: revision)
      }
    }
    return state
  }

  /// Reads the texts of all leaflets of a store.
  public static func state(of store: Store) throws -> [Int64: Texts] {
    let found = try store.fetch(Leaflet.self).map { ($0.number, Texts(title: $0.title, text: $0.text)) }
    return Dictionary(found) { first, _ in first }
  }

  /// Returns the number of the last save of a store.
  public static func saveCount(of store: Store) throws -> Int {
    try store.readNamedBuffer("save count") { Int(try $0.readUInt64()) } ?? 0
  }

  /// Performs save `number` in a store whose last save was the previous number.
  public static func save(_ number: Int, to store: Store, durability: Durability = .full) throws {
    for place in 0..<8 {
      let leaflet = Leaflet()
      leaflet.fill(self.number(number, place), revision: number)
      try store.insert(leaflet)
    }
    for leaflet in try store.fetch(Leaflet.self) where leaflet.number < self.number(number, 0) {
      let (save, place) = (Int(leaflet.number / 8), leaflet.number % 8)
      if save == number - 3, place < 4 { try store.update(leaflet) { $0.fill($0.number, revision: number) } }
      if save == number - 5 && place >= 6 || save <= number - 30 { try store.delete(leaflet) }
    }
    try store.writeNamedBuffer("save count") { $0.writeUInt64(UInt64(number)) }
    try store.saveChanges(durability: durability)
  }

  private static func number(_ save: Int, _ place: Int) -> Int64 { Int64(save * 8 + place) }
}
