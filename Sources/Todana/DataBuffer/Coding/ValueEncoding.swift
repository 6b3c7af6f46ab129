#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An encoder that writes a value in the binary form while it is being encoded.
///
/// The containers of one value write to the same arena, one after another. A nested container that the program asks
/// for writes to an encoder of its own, because others may be used at the same time; its bytes are inserted at the end.
final class ValueEncoding: Encoder {
  let arena = ByteArena(capacity: 256)
  private(set) var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The array, the dictionary or the plain value that is being written.
  private var level = Level(start: 0)
  /// The number of values that are being written, one within another.
  private var depth = 0
  /// The number of arrays and dictionaries among them.
  private var nestingDepth = 0

  /// The number of values within each other, of which many may be single values that wrap another.
  private static let depthLimit = 1100

  private struct Level {
    /// The position of the tag.
    var start: Int
    var kind = Kind.none
    var count = 0
    /// A bit for each key, so that most dictionaries are known to have no key twice.
    var filter: UInt64 = 0
    var mayRepeatKeys = false
    /// Encoders whose bytes belong at the position, in the order of positions.
    var insertions: [(position: Int, encoding: ValueEncoding)] = []
  }

  private enum Kind { case none, single, unkeyed, keyed }

  init() {}

  /// Makes an encoder for a part of a value that is encoded by another one.
  private init(codingPath: [any CodingKey], depth: Int, nestingDepth: Int) {
    self.codingPath = codingPath
    self.depth = depth
    self.nestingDepth = nestingDepth
  }

  // MARK: Values

  /// Writes a value to the arena, which is emptied before.
  ///
  /// - Throws: `EncodingError`; the errors of the value.
  func encode(_ value: some Encodable) throws {
    arena.count = 0
    codingPath.removeAll(keepingCapacity: true)
    level = Level(start: 0)
    depth = 0
    nestingDepth = 0
    try write(value)
  }

  /// Appends a value.
  func write<Value: Encodable>(_ value: Value) throws {
    if Value.self == String.self, let value = value as? String { return arena.append(string: value) }
    if Value.self == Date.self, let value = value as? Date { return arena.append(date: value) }
    if Value.self == UUID.self, let value = value as? UUID { return arena.append(uuid: value) }
    if Value.self == Data.self, let value = value as? Data { return arena.append(data: value) }
    if Value.self == URL.self, let value = value as? URL { return arena.append(string: value.absoluteString) }
    if Value.self == Decimal.self, let value = value as? Decimal { return try write(value) }
    guard depth < Self.depthLimit else { throw tooDeep(value) }
    let outer = level
    let outerNestingDepth = nestingDepth
    level = Level(start: arena.count)
    depth += 1
    defer {
      level = outer
      depth -= 1
      nestingDepth = outerNestingDepth
    }
    try value.encode(to: self)
    try finish()
    if level.kind != .single, let order = canonicalOrder(of: Value.self) { order.sort(arena, from: level.start) }
  }

  private func write(_ value: Decimal) throws {
    let text = value.description
    guard value.isNaN || Decimal(string: text) == value else {
      throw refusal(value, "the Decimal cannot be restored from its digits")
    }
    arena.append(string: text)
  }

  /// The last type whose own order counts, as that of most values does.
  private var orderedType: ObjectIdentifier?

  private func canonicalOrder(of type: Any.Type) -> CanonicalOrder? {
    if orderedType == ObjectIdentifier(type) { return nil }
    if let order = CanonicalOrder(of: type) { return order }
    orderedType = ObjectIdentifier(type)
    return nil
  }

  func write(_ value: some Encodable, for key: some CodingKey) throws {
    codingPath.append(key)
    try write(value)
    codingPath.removeLast()
  }

  /// Completes the bytes of the level, after its value has written all of its parts.
  private func finish() throws {
    if !level.insertions.isEmpty { try insert(level.insertions) }
    switch level.kind {
    // A value that writes nothing is an empty dictionary, as for other encoders.
    case .none:
      arena.append(byte: ValueTag.dictionary)
      arena.append(byte: 0)
    case .single: break
    case .unkeyed: arena.patchSize(at: level.start + 1)
    case .keyed:
      if level.mayRepeatKeys { CanonicalOrder.removeRepeatedKeys(arena, from: level.start + 2) }
      arena.patchSize(at: level.start + 1)
    }
  }

  private func insert(_ insertions: [(position: Int, encoding: ValueEncoding)]) throws {
    for (position, encoding) in insertions.reversed() {
      try encoding.finish()
      arena.replace(position..<position, with: unsafe Array(encoding.arena.bytes))
    }
  }

  private func tooDeep(_ value: Any) -> EncodingError {
    refusal(value, "arrays and dictionaries are nested more than \(ValueTag.depthLimit) levels deep")
  }

  func refusal(_ value: Any, _ message: String) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath, debugDescription: message))
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    open(.keyed, ValueTag.dictionary)
    return KeyedEncodingContainer(KeyedValueEncoding<Key>(encoding: self, depth: depth))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    open(.unkeyed, ValueTag.array)
    return UnkeyedValueEncoding(encoding: self, depth: depth)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueEncoding(encoding: self, depth: depth)
  }

  private func open(_ kind: Kind, _ tag: UInt8) {
    guard level.kind == .none else {
      // Encoding into two kinds of containers is an error of the value; the next write reports it.
      if level.kind != kind { misuse = "a value was encoded into two kinds of containers" }
      return
    }
    level.kind = kind
    nestingDepth += 1
    arena.append(byte: tag)
    arena.append(byte: 0)
  }

  /// The first error that a call which cannot throw has met.
  private var misuse: String?

  /// Checks that a container may write: the value that it belongs to is being encoded.
  @inline(__always)
  func check(_ containerDepth: Int) throws {
    if containerDepth == depth, misuse == nil, nestingDepth <= ValueTag.depthLimit { return }
    try explain(containerDepth)
  }

  private func explain(_ containerDepth: Int) throws {
    if nestingDepth > ValueTag.depthLimit { throw tooDeep("") }
    let reason = misuse ?? "a container was used while a value in it was being encoded, or after its own"
    misuse = nil
    throw refusal("", reason)
  }

  /// Writes a key, before its value.
  @inline(__always)
  func begin(_ key: String, _ containerDepth: Int) throws {
    try check(containerDepth)
    level.count += 1
    let bit = UInt64(1) << UInt64(keyHash(key))
    if level.filter & bit != 0 { level.mayRepeatKeys = true }
    level.filter |= bit
    arena.append(key: key)
  }

  @inline(__always)
  private func keyHash(_ key: String) -> UInt64 {
    let bytes = key.utf8
    guard let first = bytes.first, let last = bytes.last else { return 0 }
    // The multiplier is the golden ratio; the upper bits of the product depend on all bits.
    let ends = UInt64(first) << 16 | UInt64(last) << 8 | UInt64(bytes.count & 0xFF)
    return (ends &* 0x9E37_79B9_7F4A_7C15) >> 58
  }

  /// Notes an element of an array, before its value.
  @inline(__always)
  func beginElement(_ containerDepth: Int) throws {
    try check(containerDepth)
    level.count += 1
  }

  /// Notes a single value, before it is written.
  @inline(__always)
  func beginSingle(_ containerDepth: Int) throws {
    try check(containerDepth)
    guard level.kind == .none else { throw refusal("", "a single value was encoded twice") }
    level.kind = .single
  }

  var elementCount: Int { level.count }

  /// Returns an encoder whose bytes are inserted where the arena ends now.
  func nested(_ key: any CodingKey) -> ValueEncoding {
    let encoding = ValueEncoding(codingPath: codingPath + [key], depth: depth, nestingDepth: nestingDepth)
    level.insertions.append((arena.count, encoding))
    return encoding
  }
}
