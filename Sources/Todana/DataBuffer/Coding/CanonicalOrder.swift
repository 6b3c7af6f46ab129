/// The order of the parts of dictionaries and sets, so that equal ones have equal bytes.
enum CanonicalOrder {
  /// Entries in the order of their keys' bytes.
  case entries
  /// Elements in the order of their bytes.
  case elements
  /// Pairs of a key and a value, one after another in an array, in the order of the keys' bytes.
  case pairs

  /// Returns the order of a type's parts; nil for types whose own order counts.
  @inline(__always)
  init?(of type: Any.Type) {
    guard let order = (type as? any UnorderedCollection.Type)?.canonicalOrder else { return nil }
    self = order
  }

  // MARK: Sorting

  /// Sorts the parts of the array or dictionary that begins at a position and ends with the arena.
  func sort(_ arena: ByteArena, from start: Int) {
    var reader = unsafe ValueReader(arena.bytes, from: start)
    // The bytes were written by the encoder, so that reading them does not fail.
    guard let tag = try? reader.readByte(), let size = try? reader.readVarint() else { return }
    let first = reader.position
    var parts: [(key: [UInt8], bytes: [UInt8])] = []
    while !reader.isAtEnd {
      let start = reader.position
      guard (try? skipPart(&reader, tag)) != nil, let end = try? skipRest(&reader, tag, start) else { return }
      let bytes = unsafe arena.bytes
      parts.append(unsafe (Array(bytes[start..<end]), Array(bytes[start..<reader.position])))
    }
    _ = size
    parts.sort { $0.key.lexicographicallyPrecedes($1.key) }
    arena.replace(first..<arena.count, with: parts.flatMap(\.bytes))
  }

  /// Skips the key of a part, or the whole part if it has none.
  private func skipPart(_ reader: inout ValueReader, _ tag: UInt8) throws {
    if tag == ValueTag.dictionary { _ = try reader.readCounted() } else { try reader.skipValue() }
  }

  /// Skips the value of a part, and returns the end of its key.
  private func skipRest(_ reader: inout ValueReader, _ tag: UInt8, _ start: Int) throws -> Int {
    let end = reader.position
    if tag == ValueTag.dictionary || (self == .pairs && !reader.isAtEnd) { try reader.skipValue() }
    return end
  }

  /// Removes all but the last value of each key from the entries that begin at a position and end with the arena.
  ///
  /// The entry keeps the place of its first value.
  static func removeRepeatedKeys(_ arena: ByteArena, from start: Int) {
    var reader = unsafe ValueReader(arena.bytes, from: start)
    var places: [[UInt8]: Int] = [:]
    var entries: [[UInt8]] = []
    while !reader.isAtEnd {
      let start = reader.position
      guard let key = try? reader.readCounted(), (try? reader.skipValue()) != nil else { return }
      let bytes = unsafe arena.bytes
      let entry = unsafe Array(bytes[start..<reader.position])
      let name = unsafe Array(bytes[key])
      if let place = places[name] {
        entries[place] = entry
      } else {
        places[name] = entries.count
        entries.append(entry)
      }
    }
    arena.replace(start..<arena.count, with: entries.flatMap { $0 })
  }
}

/// A collection whose elements are encoded in an order that differs from run to run.
private protocol UnorderedCollection {
  static var canonicalOrder: CanonicalOrder { get }
}

extension Dictionary: UnorderedCollection {
  static var canonicalOrder: CanonicalOrder {
    // The standard library encodes other keys and their values as an array.
    Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type ? .entries : .pairs
  }
}

extension Set: UnorderedCollection {
  static var canonicalOrder: CanonicalOrder { .elements }
}
