internal import Foundation

/// A writer of values in their binary form (docs/formats/documents.md).
///
/// It writes to memory on the stack, which most documents fit into, and then to the heap.
@safe
struct BinaryWriter: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private var count = 0
  /// Whether the memory is the writer's own, on the heap.
  private var ownsMemory = false
  private var depth = 0

  private static let stackByteCount = 1024

  private init(_ memory: UnsafeMutableRawBufferPointer) {
    // The memory is not empty, so that it has an address.
    unsafe base = memory.baseAddress.unsafelyUnwrapped
    capacity = memory.count
  }

  deinit { if ownsMemory { unsafe base.deallocate() } }

  /// Returns the binary form of a value.
  ///
  /// - Throws: ``DocumentError/Code/tooDeep``; ``DocumentError/Code/tooLarge`` if it has more bytes than the limit.
  static func bytes(of value: DocumentValue, byteLimit: Int) throws(DocumentError) -> [UInt8] {
    let result = unsafe withUnsafeTemporaryAllocation(byteCount: stackByteCount, alignment: 1) { memory in
      var writer = unsafe BinaryWriter(memory)
      do throws(DocumentError) {
        try writer.append(value)
        if writer.count > byteLimit { throw BinaryForm.tooLarge(writer.count, byteLimit) }
        return Result<[UInt8], DocumentError>.success(writer.bytes)
      } catch {
        return Result<[UInt8], DocumentError>.failure(error)
      }
    }
    return try result.get()
  }

  private var bytes: [UInt8] { unsafe Array(UnsafeRawBufferPointer(start: base, count: count)) }

  // MARK: Values

  private mutating func append(_ value: DocumentValue) throws(DocumentError) {
    switch value.storage {
    case .null: append(byte: BinaryForm.Tag.null)
    case .bool(let value): append(byte: value ? BinaryForm.Tag.true : BinaryForm.Tag.false)
    case .integer(let value): append(value)
    case .double(let value): append(BinaryForm.Tag.double, value.bitPattern)
    case .string(let value): append(string: value)
    case .date(let value): append(BinaryForm.Tag.date, value.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let value):
      append(byte: BinaryForm.Tag.uuid)
      unsafe withUnsafeBytes(of: value.uuid) { unsafe append($0) }
    case .bytes(let value):
      append(byte: BinaryForm.Tag.bytes)
      append(varint: UInt64(value.count))
      unsafe value.withUnsafeBytes { unsafe append($0) }
    case .array(let values):
      let start = try enterNested(BinaryForm.Tag.array)
      for value in values { try append(value) }
      leaveNested(start)
    case .dictionary(let entries):
      let start = try enterNested(BinaryForm.Tag.dictionary)
      for (key, value) in entries {
        append(counted: key)
        try append(value)
      }
      leaveNested(start)
    }
  }

  private mutating func append(_ value: Int64) {
    if (0..<64).contains(value) { return append(byte: BinaryForm.Tag.smallInteger + UInt8(value)) }
    append(byte: BinaryForm.Tag.integer)
    // Zigzag: small negative numbers are short, too.
    append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  private mutating func append(_ tag: UInt8, _ bits: UInt64) {
    append(byte: tag)
    unsafe withUnsafeBytes(of: bits.littleEndian) { unsafe append($0) }
  }

  private mutating func append(string: String) {
    let count = string.utf8.count
    if count < 128 {
      append(byte: BinaryForm.Tag.shortString + UInt8(count))
      append(string.utf8, count: count)
    } else {
      append(byte: BinaryForm.Tag.string)
      append(counted: string)
    }
  }

  private mutating func append(counted string: String) {
    let count = string.utf8.count
    append(varint: UInt64(count))
    append(string.utf8, count: count)
  }

  private mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(byte: UInt8(rest))
  }

  // MARK: Nesting

  /// Writes the tag of an array or a dictionary, and leaves room for a small number of bytes.
  ///
  /// - Returns: The position of the room, for ``leaveNested(_:)``.
  private mutating func enterNested(_ tag: UInt8) throws(DocumentError) -> Int {
    if depth == BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    depth += 1
    append(byte: tag)
    append(byte: 0)
    return count - 1
  }

  /// Writes the number of bytes since ``enterNested(_:)`` before them.
  private mutating func leaveNested(_ start: Int) {
    depth -= 1
    let size = count - start - 1
    if size < 0x80 {
      unsafe base.storeBytes(of: UInt8(size), toByteOffset: start, as: UInt8.self)
      return
    }
    let sizeByteCount = (UInt64.bitWidth - UInt64(size).leadingZeroBitCount + 6) / 7
    reserve(sizeByteCount - 1)
    unsafe (base + start + sizeByteCount).copyMemory(from: base + start + 1, byteCount: size)
    count = start
    append(varint: UInt64(size))
    count += size
  }

  // MARK: Bytes

  private mutating func append(byte: UInt8) {
    reserve(1)
    unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    unsafe (base + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  private mutating func append(_ text: String.UTF8View, count textCount: Int) {
    reserve(textCount)
    let room = unsafe UnsafeMutableRawBufferPointer(start: base + count, count: textCount)
    // Strings in a foreign encoding have no contiguous bytes.
    let isCopied: Void? = unsafe text.withContiguousStorageIfAvailable { bytes in
      unsafe room.copyMemory(from: UnsafeRawBufferPointer(bytes))
    }
    if isCopied == nil { unsafe room.copyBytes(from: text) }
    count += textCount
  }

  /// Makes room for further bytes.
  private mutating func reserve(_ byteCount: Int) {
    if capacity - count >= byteCount { return }
    let grown = max(2 * capacity, count + byteCount)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 1)
    unsafe memory.copyMemory(from: base, byteCount: count)
    if ownsMemory { unsafe base.deallocate() }
    unsafe base = memory
    capacity = grown
    ownsMemory = true
  }
}
