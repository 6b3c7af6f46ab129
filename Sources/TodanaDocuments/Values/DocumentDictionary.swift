/// A dictionary of document values that keeps the order of its keys.
///
/// Keys are compared by their bytes: `"é"` in one scalar and in two are different keys. Equality does not depend on the
/// order of the keys.
///
/// A key is found in time proportional to the number of entries if there are up to 16, and in constant time if there
/// are more.
public struct DocumentDictionary: Sendable {
  public typealias Element = (key: String, value: DocumentValue)

  private var entries: [Entry] = []
  /// The positions of the keys; nil while a search through all entries is fast.
  private var positions: [KeyBytes: Int]?

  private struct Entry: Sendable {
    let key: String
    var value: DocumentValue
  }

  /// A key that is compared and hashed by its bytes.
  private struct KeyBytes: Hashable, Sendable {
    let key: String

    static func == (lhs: KeyBytes, rhs: KeyBytes) -> Bool { lhs.key.hasSameBytes(as: rhs.key) }

    func hash(into hasher: inout Hasher) {
      var key = key
      key.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  /// The number of entries up to which they are searched one by one.
  private static let fewEntries = 16

  /// Makes an empty dictionary.
  public init() {}

  /// The value of a key.
  ///
  /// Setting a new key appends an entry; setting nil removes the entry.
  public subscript(key: String) -> DocumentValue? {
    get { position(of: key).map { entries[$0].value } }
    _modify {
      // The value is moved out and back, so that it is changed in place.
      let position = position(of: key)
      var value: DocumentValue?
      if let position {
        value = entries[position].value
        entries[position].value = .null
      }
      defer {
        if let position {
          if let value { entries[position].value = value } else { remove(at: position) }
        } else if let value {
          append(key, value)
        }
      }
      yield &value
    }
  }

  func position(of key: String) -> Int? {
    if let positions { return positions[KeyBytes(key: key)] }
    return entries.firstIndex { $0.key.hasSameBytes(as: key) }
  }

  private mutating func append(_ key: String, _ value: DocumentValue) {
    entries.append(Entry(key: key, value: value))
    if positions != nil {
      positions?[KeyBytes(key: key)] = entries.count - 1
    } else if entries.count > Self.fewEntries {
      indexKeys()
    }
  }

  private mutating func remove(at position: Int) {
    entries.remove(at: position)
    if positions != nil { indexKeys() }
  }

  private mutating func indexKeys() {
    guard entries.count > Self.fewEntries else { return positions = nil }
    var positions: [KeyBytes: Int] = [:]
    positions.reserveCapacity(entries.count)
    for (position, entry) in entries.enumerated() { positions[KeyBytes(key: entry.key)] = position }
    self.positions = positions
  }

  /// The entries in the order of the bytes of their keys.
  var sortedByKey: [Element] { sorted { String.isBefore($0.key, $1.key) } }
}

extension DocumentDictionary: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }
  public subscript(position: Int) -> Element { (entries[position].key, entries[position].value) }

  /// The value at a position.
  func value(at position: Int) -> DocumentValue { entries[position].value }

  /// Changes the value at a position in place.
  mutating func changeValue<Result, Failure: Error>(
    at position: Int, _ body: (inout DocumentValue) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&entries[position].value)
  }
}

extension DocumentDictionary: ExpressibleByDictionaryLiteral {
  /// Makes a dictionary in the order of the literal.
  ///
  /// If a key occurs twice, its last value counts.
  public init(dictionaryLiteral elements: (String, DocumentValue)...) { self.init(inOrder: elements) }

  /// Makes a dictionary of entries in their order; if a key occurs twice, its last value counts.
  init(inOrder elements: [(String, DocumentValue)]) {
    entries.reserveCapacity(elements.count)
    for (key, value) in elements {
      if let position = position(of: key) { entries[position].value = value } else { append(key, value) }
    }
  }
}

extension String {
  /// Tests whether two strings have equal bytes, which is stricter than equal characters.
  func hasSameBytes(as other: String) -> Bool {
    // Swift compares most strings fast; only equal ones are compared byte by byte.
    utf8.count == other.utf8.count && self == other && utf8.elementsEqual(other.utf8)
  }

  /// Compares the bytes of two strings.
  static func isBefore(_ lhs: String, _ rhs: String) -> Bool { lhs.utf8.lexicographicallyPrecedes(rhs.utf8) }
}
