/// A writer of values as bytes that have the order of the values (docs/formats/index-keys.md).
///
/// A type that conforms to ``OrderedValue`` writes its parts, one after another.
public struct KeyWriter {
  /// The arena, at whose end the bytes are appended.
  let arena: ByteArena
  /// The maximum number of bytes of a text.
  ///
  /// A longer text is written as its first bytes and a digest.
  private let textByteLimit: Int
  /// The end, in the arena, of the first text that did not fit; nil if all texts fit.
  ///
  /// From this offset on the bytes do not have the order of the values.
  private(set) var cutOffset: Int?
  /// The error if a value cannot be written.
  var failure: StoreError?

  /// The maximum number of bytes of a text in an index.
  ///
  /// Six texts of this size, with their digests, fit into a backend's key.
  static let indexTextByteLimit = 128

  init(arena: ByteArena, textByteLimit: Int = .max) {
    self.arena = arena
    self.textByteLimit = textByteLimit
  }

  /// Begins the key of another row.
  mutating func begin() { cutOffset = nil }

  public mutating func append(_ byte: UInt8) {
    let start = arena.count
    arena.reserve(start + 1)
    unsafe arena.base.storeBytes(of: byte, toByteOffset: start, as: UInt8.self)
    arena.count = start + 1
  }

  /// Writes the bytes of a number, the most significant first.
  public mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(bigEndian number: Number) {
    let start = arena.count
    arena.reserve(start + MemoryLayout<Number>.size)
    unsafe arena.base.storeBytes(of: number.bigEndian, toByteOffset: start, as: Number.self)
    arena.count = start + MemoryLayout<Number>.size
  }

  /// Writes bytes of any number: 0 as 0, 1, then 0, 0 as an end.
  ///
  /// If they exceed the limit of an index, writes the first ones, then 0, 2, and the SHA-256 of all bytes.
  public mutating func append(text bytes: UnsafeRawBufferPointer) {
    let start = arena.count
    arena.reserve(start + 2 * min(bytes.count, textByteLimit) + 2)
    var position = start
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      guard position &- start < (byte == 0 ? textByteLimit &- 1 : textByteLimit) else {
        arena.count = position
        return unsafe appendDigest(of: bytes)
      }
      unsafe arena.base.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
      position &+= 1
      if byte == 0 {
        unsafe arena.base.storeBytes(of: 1, toByteOffset: position, as: UInt8.self)
        position &+= 1
      }
    }
    arena.count = position
    append(0)
    append(0)
  }

  private mutating func appendDigest(of bytes: UnsafeRawBufferPointer) {
    if cutOffset == nil { cutOffset = arena.count }
    append(0)
    append(2)
    do throws(StoreError) {
      try unsafe SHA256Digest.append(of: bytes, to: arena)
    } catch {
      failure = failure ?? error
    }
  }

  /// Writes the UTF-8 of a string, as bytes of any number.
  public mutating func append(text string: String) {
    var string = string
    string.withUTF8 { utf8 in unsafe append(text: UnsafeRawBufferPointer(utf8)) }
  }

  /// Writes several values as one, such as the elements of an array.
  ///
  /// The bytes that the closure writes are appended as a text is. Therefore, the limit of an index applies to all of
  /// them together.
  public mutating func append(nested write: (inout KeyWriter) -> Void) {
    var writer = KeyWriter(arena: ByteArena(capacity: 64))
    write(&writer)
    failure = failure ?? writer.failure
    unsafe append(text: writer.arena.bytes)
  }

  /// Inverts the bytes from a position on, so that their order is descending.
  mutating func invert(from start: Int) {
    for position in start..<arena.count {
      let byte = unsafe arena.base.load(fromByteOffset: position, as: UInt8.self)
      unsafe arena.base.storeBytes(of: ~byte, toByteOffset: position, as: UInt8.self)
    }
  }
}
