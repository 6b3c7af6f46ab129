/// The byte stream that an object writes its content to, and reads it from.
///
/// A store passes a buffer to ``StoredObject`` when it saves or loads. Values are read in the order in which they were
/// written:
///
/// ```swift
/// override func readContent(from buffer: inout DataBuffer) throws {
///   title = try buffer.readString()
///   genre = buffer.version >= 2 ? try buffer.readOptionalString() : nil
/// }
/// override func writeContent(to buffer: inout DataBuffer) {
///   buffer.writeString(title)
///   buffer.writeOptionalString(genre)
/// }
/// ```
///
/// **Writing never throws.** The first value that cannot be written is recorded as an error. Later writes do nothing,
/// and the save throws the error.
///
/// **Reading throws ``DataBufferError``** and trusts no byte. Every count is checked against the remaining bytes before
/// memory is reserved, so damaged bytes cannot cause large allocations. If a single value is refused, the read position
/// stays before it.
///
/// Integers are little-endian, and nothing is aligned. `docs/formats/data-buffer.md` describes every byte.
///
/// A buffer from a store borrows the store's memory. Use it only within the method or closure that received it, and
/// never move it to a variable that outlives the call. A buffer is not thread-safe: each thread uses its own.
@safe
public struct DataBuffer: ~Copyable {
  /// The maximum size of one record's content, in bytes: 1 GiB.
  public static let contentByteLimit = 1 << 30

  // Invariant: readStart <= readCursor <= readEnd and writeCursor <= writeEnd. Each pair lies within one allocation
  // that lives as long as the buffer is used. All reads check readEnd first, and all writes check writeEnd first.
  @usableFromInline var readCursor: UnsafeRawPointer
  @usableFromInline var readEnd: UnsafeRawPointer
  @usableFromInline var writeCursor: UnsafeMutableRawPointer
  /// The address at which a write has to request more room; equal to `writeCursor` once no more may be written.
  @usableFromInline var writeEnd: UnsafeMutableRawPointer
  /// The number of calls of write methods so far.
  @usableFromInline var fieldNumber = 0
  var readStart: UnsafeRawPointer

  /// The version of the content.
  ///
  /// When reading, it is the version that the record was written with. When writing, it is the class's current version.
  public internal(set) var version: UInt8

  /// The error of the first value that could not be written; nil if all values were written.
  ///
  /// A save throws it. If you write to a buffer of your own, check it after writing.
  public internal(set) var firstError: DataBufferError?

  /// The arena that is written to; nil for a buffer that can only be read.
  let arena: ByteArena?
  /// The arena without reference counting, for the fast paths.
  let arenaReference: Unmanaged<ByteArena>?
  /// The offsets in the arena at which the record and its content start.
  var recordStart = 0
  var contentStart = 0
  /// Whether a record has been begun and not ended.
  var isOpen: Bool
  /// The memory that is read, if the buffer owns it; nil otherwise.
  let owner: ByteArena?

  /// The encoder and the decoder of Codable values, once there was one.
  var valueEncoding: ValueEncoding?
  var valueDecoder: ValueDecoder?

  let encoder: (any ReferenceEncoder)?
  let resolver: (any ReferenceResolver)?

  /// Creates an empty buffer to write to.
  ///
  /// The written bytes can also be read from it.
  ///
  /// - Parameters:
  ///   - version: The value of ``version``.
  ///   - capacity: The number of bytes to reserve memory for.
  public init(version: UInt8 = 1, capacity: Int = 0) {
    self.init(arena: ByteArena(capacity: min(max(capacity, 0), Self.contentByteLimit)), encoder: nil)
    beginRecord(version: version, headerByteCount: 0)
  }

  /// Creates a buffer that reads a copy of the bytes and cannot be written to.
  ///
  /// - Complexity: O(*n*)
  public init(reading bytes: [UInt8], version: UInt8 = 1) {
    let owner = ByteArena(capacity: bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      if let start = source.baseAddress { unsafe owner.base.copyMemory(from: start, byteCount: source.count) }
    }
    owner.count = bytes.count
    unsafe self.init(borrowing: owner.bytes, owner: owner, version: version, resolver: nil)
  }

  /// Creates a buffer that writes records one after another to the end of an arena.
  ///
  /// Writing requires ``beginRecord(version:headerByteCount:)`` first. Between two records, other code may use the
  /// arena.
  package init(arena: ByteArena, encoder: (any ReferenceEncoder)?) {
    self.arena = arena
    unsafe arenaReference = Unmanaged.passUnretained(arena)
    self.encoder = encoder
    unsafe writeCursor = arena.base
    unsafe writeEnd = arena.base
    unsafe readStart = UnsafeRawPointer(arena.base)
    unsafe readCursor = readStart
    unsafe readEnd = readStart
    version = 0
    isOpen = false
    owner = nil
    resolver = nil
  }

  /// Creates a buffer that reads memory of the caller.
  ///
  /// The caller keeps the memory in place while the buffer is used.
  package init(
    borrowing bytes: UnsafeRawBufferPointer, owner: ByteArena? = nil, version: UInt8 = 0,
    resolver: (any ReferenceResolver)?
  ) {
    unsafe readStart = bytes.baseAddress ?? UnsafeRawPointer(nothing)
    unsafe readCursor = readStart
    unsafe readEnd = readStart + bytes.count
    unsafe writeCursor = UnsafeMutableRawPointer(mutating: readStart)
    unsafe writeEnd = writeCursor
    self.version = version
    self.owner = owner
    self.resolver = resolver
    arena = nil
    unsafe arenaReference = nil
    isOpen = false
    encoder = nil
  }
}

/// A non-null address for buffers of no bytes; it is never read or written.
private nonisolated(unsafe) let nothing = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
