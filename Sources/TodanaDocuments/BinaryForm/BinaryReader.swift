internal import Foundation

/// A reader of values in their binary form (docs/formats/documents.md).
///
/// It borrows the bytes: they must stay in place as long as it reads.
@safe
struct BinaryReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position: Int
  /// The end of the array or dictionary that is being read.
  private(set) var end: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = bytes
    position = 0
    end = bytes.count
  }

  var isAtEnd: Bool { position == end }

  /// Calls a closure with a reader of an array of bytes.
  static func read<Result>(
    _ bytes: [UInt8], _ body: (inout BinaryReader) throws(DocumentError) -> Result
  ) throws(DocumentError) -> Result {
    let result = unsafe bytes.withUnsafeBytes { bytes -> Swift.Result<Result, DocumentError> in
      var reader = unsafe BinaryReader(bytes)
      do throws(DocumentError) {
        return .success(try body(&reader))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Reads the value of bytes that are one value.
  ///
  /// - Throws: ``DocumentError/Code/invalidBytes``, ``DocumentError/Code/tooDeep``.
  static func value(of bytes: [UInt8]) throws(DocumentError) -> DocumentValue {
    try read(bytes) { reader throws(DocumentError) in
      let value = try reader.readValue()
      guard reader.isAtEnd else { throw reader.invalid("there are bytes after the end of a document") }
      return value
    }
  }

  /// Checks that bytes are one value, which can then be read without an error.
  ///
  /// - Throws: ``DocumentError/Code/invalidBytes``, ``DocumentError/Code/tooDeep``.
  static func check(_ bytes: [UInt8]) throws(DocumentError) {
    try read(bytes) { reader throws(DocumentError) in
      try reader.checkValue(depth: 0)
      guard reader.isAtEnd else { throw reader.invalid("there are bytes after the end of a document") }
    }
  }

  func invalid(_ message: String) -> DocumentError { DocumentError(.invalidBytes, message, at: position) }

  // MARK: Parts

  private var tooShort: DocumentError { invalid("a document is too short") }

  private mutating func readByte() throws(DocumentError) -> UInt8 {
    guard position < end else { throw tooShort }
    defer { position += 1 }
    return unsafe bytes[position]
  }

  @inline(__always)
  private mutating func readVarint() throws(DocumentError) -> UInt64 {
    // Most numbers are small.
    if position < end, unsafe bytes[position] < 0x80 {
      defer { position += 1 }
      return unsafe UInt64(bytes[position])
    }
    return try readLongVarint()
  }

  private mutating func readLongVarint() throws(DocumentError) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try readByte()
      if shift == 63, byte > 1 { throw invalid("a number of a document has too many bytes") }
      number |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return number }
      shift += 7
    }
  }

  private mutating func readBits() throws(DocumentError) -> UInt64 {
    guard end - position >= 8 else { throw tooShort }
    defer { position += 8 }
    return unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// Reads a number of bytes, and moves behind these bytes.
  @inline(__always)
  private mutating func readCounted() throws(DocumentError) -> Range<Int> { try read(count: try readVarint()) }

  @inline(__always)
  private mutating func read(count: UInt64) throws(DocumentError) -> Range<Int> {
    guard count <= UInt64(end - position) else { throw tooShort }
    defer { position += Int(count) }
    return position..<position + Int(count)
  }

  private func string(_ range: Range<Int>) throws(DocumentError) -> String {
    let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
    // ASCII needs no further test, and most texts are ASCII.
    if isASCII(range) { return unsafe String(decoding: text, as: UTF8.self) }
    guard let string = unsafe String(validating: text, as: UTF8.self) else {
      throw invalid("a text of a document is not UTF-8")
    }
    return string
  }

  // MARK: Whole values

  /// Reads the next value.
  ///
  /// - Throws: ``DocumentError/Code/invalidBytes``, ``DocumentError/Code/tooDeep``.
  mutating func readValue(depth: Int = 0) throws(DocumentError) -> DocumentValue {
    let tag = try readByte()
    switch tag {
    case BinaryForm.Tag.null: return .null
    case BinaryForm.Tag.false: return DocumentValue(false)
    case BinaryForm.Tag.true: return DocumentValue(true)
    case BinaryForm.Tag.integer:
      let zigzag = try readVarint()
      return DocumentValue(Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
    case BinaryForm.Tag.double: return DocumentValue(Double(bitPattern: try readBits()))
    case BinaryForm.Tag.string: return DocumentValue(try string(readCounted()))
    case BinaryForm.Tag.bytes: return DocumentValue(unsafe Data(bytes[try readCounted()]))
    case BinaryForm.Tag.date:
      return DocumentValue(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try readBits())))
    case BinaryForm.Tag.uuid:
      let start = try read(count: 16).lowerBound
      return DocumentValue(unsafe UUID(uuid: bytes.loadUnaligned(fromByteOffset: start, as: uuid_t.self)))
    case BinaryForm.Tag.array:
      var elements: [DocumentValue] = []
      try readNested(depth) { reader throws(DocumentError) in
        elements.append(try reader.readValue(depth: depth + 1))
      }
      return DocumentValue(elements)
    case BinaryForm.Tag.dictionary:
      var entries = DocumentDictionary()
      try readNested(depth) { reader throws(DocumentError) in
        let key = try reader.string(reader.readCounted())
        if entries[key] != nil { throw reader.invalid("a dictionary of a document has a key twice") }
        entries[key] = try reader.readValue(depth: depth + 1)
      }
      return DocumentValue(entries)
    case BinaryForm.Tag.shortString...:
      return DocumentValue(try string(read(count: UInt64(tag - BinaryForm.Tag.shortString))))
    case BinaryForm.Tag.smallInteger...: return DocumentValue(Int64(tag - BinaryForm.Tag.smallInteger))
    default: throw invalid("a value of a document has the unknown tag \(tag)")
    }
  }

  /// Reads the length of an array or a dictionary, and calls back for each of its elements or entries.
  private mutating func readNested(
    _ depth: Int, _ readElement: (inout BinaryReader) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    if depth == BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    let outerEnd = try enterNested()
    while !isAtEnd { try readElement(&self) }
    leaveNested(outerEnd)
  }

  /// Reads the length of an array or a dictionary, and makes its end the reader's end.
  ///
  /// - Returns: The former end, for ``leaveNested(_:)``.
  private mutating func enterNested() throws(DocumentError) -> Int {
    let count = try readVarint()
    guard count <= UInt64(end - position) else { throw tooShort }
    defer { end = position + Int(count) }
    return end
  }

  private mutating func leaveNested(_ outerEnd: Int) {
    position = end
    end = outerEnd
  }

  private mutating func checkValue(depth: Int) throws(DocumentError) {
    if try passPlainValue() { return }
    let tag = try readByte()
    switch tag {
    case BinaryForm.Tag.null, BinaryForm.Tag.false, BinaryForm.Tag.true: return
    case BinaryForm.Tag.integer: _ = try readVarint()
    case BinaryForm.Tag.double, BinaryForm.Tag.date: _ = try readBits()
    case BinaryForm.Tag.string: try checkText(readCounted())
    case BinaryForm.Tag.bytes: _ = try readCounted()
    case BinaryForm.Tag.uuid: _ = try read(count: 16)
    case BinaryForm.Tag.array:
      try readNested(depth) { reader throws(DocumentError) in try reader.checkValue(depth: depth + 1) }
    case BinaryForm.Tag.dictionary:
      if depth == BinaryForm.depthLimit { throw BinaryForm.tooDeep }
      let outerEnd = try enterNested()
      // A copy, whose position need not be in memory.
      var reader = self
      var keys = CheckedKeys(start: position)
      while !reader.isAtEnd {
        let key = try reader.readCounted()
        try reader.checkText(key)
        guard try keys.insert(key, of: reader) else {
          throw reader.invalid("a dictionary of a document has a key twice")
        }
        if try !reader.passPlainValue() { try reader.checkValue(depth: depth + 1) }
      }
      leaveNested(outerEnd)
    default: throw invalid("a value of a document has the unknown tag \(tag)")
    }
  }

  /// Checks the next value and moves behind it if it is a short text or a small integer, as most values are.
  @inline(__always)
  private mutating func passPlainValue() throws(DocumentError) -> Bool {
    guard let tag = nextTag, tag >= BinaryForm.Tag.smallInteger else { return false }
    position += 1
    if tag >= BinaryForm.Tag.shortString {
      try checkText(read(count: UInt64(tag - BinaryForm.Tag.shortString)))
    }
    return true
  }

  @inline(__always)
  private func checkText(_ range: Range<Int>) throws(DocumentError) {
    if !isASCII(range) { _ = try string(range) }
  }

  @inline(__always)
  private func isASCII(_ range: Range<Int>) -> Bool {
    var position = range.lowerBound
    var bits: UInt64 = 0
    while position + 8 <= range.upperBound {
      bits |= unsafe bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      position += 8
    }
    while position < range.upperBound {
      bits |= unsafe UInt64(bytes[position])
      position += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Returns a number with one bit, which is equal for equal keys.
  @inline(__always)
  fileprivate func filterBit(of key: Range<Int>) -> UInt128 {
    if key.isEmpty { return 1 }
    let ends = unsafe UInt64(bytes[key.lowerBound]) << 16 | UInt64(bytes[key.upperBound - 1]) << 8
    // The multiplier is the golden ratio; the upper bits of the product depend on all bits.
    let product = (ends | UInt64(key.count & 0xFF)) &* 0x9E37_79B9_7F4A_7C15
    return 1 << (product >> 57)
  }

  /// Calls back with the first keys of a dictionary whose first entry is at a position.
  fileprivate func forEachKey(
    from start: Int, count: Int, _ body: (Range<Int>) -> Void
  ) throws(DocumentError) {
    var reader = self
    reader.position = start
    for _ in 0..<count {
      body(try reader.readCounted())
      try reader.skipValue()
    }
  }

  fileprivate func areEqual(_ lhs: Range<Int>, _ rhs: Range<Int>) -> Bool {
    unsafe lhs.count == rhs.count && bytes[lhs].elementsEqual(bytes[rhs])
  }

  fileprivate func bytes(_ range: Range<Int>) -> [UInt8] { unsafe Array(bytes[range]) }

  // MARK: Parts of values

  /// Moves behind the next value.
  mutating func skipValue() throws(DocumentError) {
    let tag = try readByte()
    switch tag {
    case BinaryForm.Tag.integer: _ = try readVarint()
    case BinaryForm.Tag.double, BinaryForm.Tag.date: _ = try readBits()
    case BinaryForm.Tag.uuid: _ = try read(count: 16)
    case BinaryForm.Tag.string, BinaryForm.Tag.bytes, BinaryForm.Tag.array, BinaryForm.Tag.dictionary:
      _ = try readCounted()
    case BinaryForm.Tag.shortString...: _ = try read(count: UInt64(tag - BinaryForm.Tag.shortString))
    default: return
    }
  }

  private var nextTag: UInt8? { position < end ? unsafe bytes[position] : nil }

  /// Whether the next value is an array.
  var isAtArray: Bool { nextTag == BinaryForm.Tag.array }
  /// Whether the next value is an array or a dictionary.
  var isAtContainer: Bool { nextTag == BinaryForm.Tag.array || nextTag == BinaryForm.Tag.dictionary }

  /// Moves to the value that a step of a path leads to from the next value.
  ///
  /// - Returns: False if there is no such value.
  mutating func move(_ step: DocumentPath.Step) throws(DocumentError) -> Bool {
    switch step {
    case .key(let key): return try move(toKey: key)
    case .index(let index):
      guard isAtArray else { return false }
      position += 1
      _ = try enterNested()
      var rest = index
      while !isAtEnd {
        if rest == 0 { return true }
        rest -= 1
        try skipValue()
      }
      return false
    case .each, .anyDepth: return false
    }
  }

  /// Moves to the value of a key in the next value; returns false if there is none.
  mutating func move(toKey key: String) throws(DocumentError) -> Bool {
    guard nextTag == BinaryForm.Tag.dictionary else { return false }
    position += 1
    _ = try enterNested()
    while !isAtEnd {
      if try readKey(equals: key) { return true }
      try skipValue()
    }
    return false
  }

  private mutating func readKey(equals key: String) throws(DocumentError) -> Bool {
    let range = try readCounted()
    return isEqual(range, key)
  }

  /// Calls back with a reader at each element of the next value, which is an array or a dictionary, and with its key.
  ///
  /// - Returns: Whether the closure always returned true; it is not called again after it has returned false.
  func forEachChild(
    _ body: (_ key: Range<Int>?, BinaryReader) throws(DocumentError) -> Bool
  ) throws(DocumentError) -> Bool {
    var reader = self
    let hasKeys = nextTag == BinaryForm.Tag.dictionary
    guard isAtContainer else { return true }
    reader.position += 1
    _ = try reader.enterNested()
    while !reader.isAtEnd {
      let key = hasKeys ? try reader.readCounted() : nil
      guard try body(key, reader) else { return false }
      try reader.skipValue()
    }
    return true
  }

  /// Calls back with a reader at each value at a path from the next value, in the order of the document.
  ///
  /// - Returns: Whether the closure always returned true; it is not called again after it has returned false.
  func forEachValue(
    at path: DocumentPath, _ body: (BinaryReader) throws(DocumentError) -> Bool
  ) throws(DocumentError) -> Bool {
    var reader = self
    let wildcard = path.steps.firstIndex(where: \.isWildcard) ?? path.steps.endIndex
    for step in path.steps[..<wildcard] { guard try reader.move(step) else { return true } }
    return try reader.visit(PathPositions(path.steps[wildcard...]), body)
  }

  private func visit(
    _ positions: PathPositions, _ body: (BinaryReader) throws(DocumentError) -> Bool
  ) throws(DocumentError) -> Bool {
    var positions = positions
    positions.enter(isArray: isAtArray)
    if positions.isComplete, try !body(self) { return false }
    var index = 0
    return try forEachChild { key, child throws(DocumentError) in
      let next: PathPositions
      if let key {
        next = positions.entry { isEqual(key, $0) }
      } else {
        next = positions.element(at: index)
        index += 1
      }
      return next.isEmpty ? true : try child.visit(next, body)
    }
  }

  private func isEqual(_ key: Range<Int>, _ other: String) -> Bool {
    guard key.count == other.utf8.count else { return false }
    let key = unsafe UnsafeRawBufferPointer(rebasing: bytes[key])
    // Strings in a foreign encoding have no contiguous bytes.
    return unsafe other.utf8.withContiguousStorageIfAvailable { unsafe key.elementsEqual($0) }
      ?? key.elementsEqual(other.utf8)
  }
}

/// The keys of a dictionary that were found so far.
private struct CheckedKeys {
  /// Where the first key begins.
  private let start: Int
  private var count = 0
  /// A bit for each key, by its size and its bytes at both ends: most keys differ in them.
  private var filter: UInt128 = 0
  /// The keys, if there are many.
  private var many: Set<[UInt8]> = []
  private static let fewCount = 32

  init(start: Int) { self.start = start }

  /// Adds a key; returns false if it was added before.
  mutating func insert(_ key: Range<Int>, of reader: BinaryReader) throws(DocumentError) -> Bool {
    if count >= Self.fewCount {
      if many.isEmpty { try reader.forEachKey(from: start, count: count) { many.insert(reader.bytes($0)) } }
      return many.insert(reader.bytes(key)).inserted
    }
    let bit = reader.filterBit(of: key)
    if filter & bit != 0 {
      var isNew = true
      try reader.forEachKey(from: start, count: count) { if reader.areEqual(key, $0) { isNew = false } }
      if !isNew { return false }
    }
    filter |= bit
    count += 1
    return true
  }
}
