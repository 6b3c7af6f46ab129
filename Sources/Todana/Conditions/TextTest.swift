/// The kind of a search for one text in another.
enum TextMatch: String, Sendable {
  case contains = "contains"
  case prefix = "has prefix"
  case suffix = "has suffix"

  func holds(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    guard text.count >= part.count else { return false }
    if unsafe part.isEmpty { return true }
    switch self {
    case .prefix: return unsafe Bytes.areEqual(text, from: 0, part)
    case .suffix: return unsafe Bytes.areEqual(text, from: text.count - part.count, part)
    case .contains: return unsafe Bytes.contains(text, part)
    }
  }

  func holds(_ text: FoldedText, _ part: FoldedText) -> Bool {
    unsafe text.bytes.withUnsafeBytes { text in
      unsafe part.bytes.withUnsafeBytes { part in unsafe holds(text, part) }
    }
  }
}

/// A text that may be nil: `String` or `String?`.
public protocol OptionalText: OrderedValue {
  var optionalText: String? { get }
}

extension String: OptionalText {
  public var optionalText: String? { self }
}

extension Optional: OptionalText where Wrapped == String {
  public var optionalText: String? { self }
}

/// A test that a text contains, begins with or ends with another text.
struct TextTest<Root: StoreIdentifiable, Value: OptionalText>: ConditionTest {
  let property: Property<Root, Value>
  let match: TextMatch
  let part: String
  private let partBytes: [UInt8]

  init(property: Property<Root, Value>, match: TextMatch, part: String) {
    self.property = property
    self.match = match
    self.part = part
    partBytes = Array(part.utf8)
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    guard var text = try property.read(unsafe unsafeDowncast(object, to: Root.self)).optionalText else { return false }
    return text.withUTF8 { text in
      unsafe partBytes.withUnsafeBytes { part in unsafe match.holds(UnsafeRawBufferPointer(text), part) }
    }
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }

  var ranges: ValueRanges? {
    match == .prefix ? prefixRanges(of: partBytes, isOptional: Value.self is any AbsentValue.Type, property.path) : nil
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { Array(match.rawValue.utf8) + [0] + partBytes }
  var description: String { "\(property.path.description) \(match.rawValue) \(describe(part))" }
}

/// The differences between texts that a comparison ignores.
enum Folding: String, Sendable {
  case none
  case caseOnly
  case caseAndAccents
}

/// A text without case, and without accents if it was folded entirely.
public struct FoldedText: OrderedValue {
  let bytes: [UInt8]

  init(_ text: String, _ folding: Folding = .caseAndAccents) {
    bytes =
      switch folding {
      case .none: Array(text.utf8)
      case .caseOnly: TextFolding.foldCase(text)
      case .caseAndAccents: TextFolding.fold(text)
      }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  public static var indexedTypeName: String { "folded String" }

  public func writeKey(to key: inout KeyWriter) {
    unsafe bytes.withUnsafeBytes { bytes in unsafe key.append(text: bytes) }
  }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> FoldedText {
    FoldedText(bytes: try key.readText())
  }

  public static func isEqual(_ lhs: FoldedText, _ rhs: FoldedText) -> Bool { lhs.bytes == rhs.bytes }

  public static func precedes(_ lhs: FoldedText, _ rhs: FoldedText) -> Bool {
    unsafe lhs.bytes.withUnsafeBytes { lhs in unsafe rhs.bytes.withUnsafeBytes { unsafe Bytes.order(lhs, $0) < 0 } }
  }
}

extension FoldedText: CustomStringConvertible {
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// A test that a folded text contains, begins with or ends with another folded text.
struct FoldedTest<Root: StoreIdentifiable>: ConditionTest {
  let property: Property<Root, FoldedText?>
  let match: TextMatch
  let part: FoldedText

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    guard let text = try property.read(unsafe unsafeDowncast(object, to: Root.self)) else { return false }
    return match.holds(text, part)
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }

  var ranges: ValueRanges? {
    match == .prefix ? prefixRanges(of: part.bytes, isOptional: true, property.path) : nil
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { Array(match.rawValue.utf8) + [0] + part.bytes }
  var description: String { "\(property.path.description) \(match.rawValue) \(describe(part))" }
}

/// Returns the range of all texts that begin with a text.
func prefixRanges(of part: [UInt8], isOptional: Bool, _ path: PropertyPath) -> ValueRanges {
  let arena = ByteArena(capacity: 64)
  if isOptional { _ = unsafe [UInt8(1)].withUnsafeBytes { unsafe arena.append($0) } }
  var writer = KeyWriter(arena: arena, textByteLimit: KeyWriter.indexTextByteLimit)
  unsafe part.withUnsafeBytes { part in unsafe writer.append(text: part) }
  // The two bytes that end a text are left out.
  let byteCount = writer.cutOffset ?? arena.count - 2
  let bytes = unsafe Array(arena.bytes.prefix(byteCount))
  return ValueRanges(path: path, ranges: [ByteRange(prefix: bytes)], isExact: writer.cutOffset == nil)
}
