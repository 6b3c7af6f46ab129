/// The byte stream that an object writes its content to and reads it from.
///
/// A store hands one to ``StoredObject`` when it saves or loads; values are read in the order in which they were
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
/// **Writing never throws.** The first value that cannot be written is kept as an error, later writes do nothing, and
/// the save throws the error.
///
/// **Reading throws ``DataBufferError``** and trusts nothing: every count is checked against the bytes that are left
/// before memory is taken, so that damaged bytes cost no more than themselves. A single value that is refused leaves the
/// cursor where it was.
///
/// Integers are little-endian and nothing is aligned; `docs/formats/data-buffer.md` has every byte.
///
/// A buffer that a store hands out borrows the store's memory: use it in the method or closure that got it, and never
/// move it to a variable that outlives the call. Not thread-safe; each thread uses its own.
@safe
public struct DataBuffer: ~Copyable {
  /// The most bytes that one record's content may have: 1 GiB.
  public static let contentByteLimit = 1 << 30

  // Invariant: readStart <= readCursor <= readEnd and writeCursor <= writeEnd, each within one allocation that lives as
  // long as the buffer is used. All reads and writes check against readEnd and writeEnd first.
  @usableFromInline var readCursor: UnsafeRawPointer
  @usableFromInline var readEnd: UnsafeRawPointer
  @usableFromInline var writeCursor: UnsafeMutableRawPointer
  /// Where writing has to stop and ask for room; equal to `writeCursor` once nothing more may be written.
  @usableFromInline var writeEnd: UnsafeMutableRawPointer
  /// Calls of write methods so far.
  @usableFromInline var fieldNumber = 0
  var readStart: UnsafeRawPointer

  /// The version of the content: when reading, what the record was written with; when writing, the class's own.
  public internal(set) var version: UInt8

  /// Why the first value that could not be written was refused; nil if all were written.
  ///
  /// A save throws it. Who writes to a buffer of their own looks here.
  public internal(set) var firstError: DataBufferError?

  /// What is written into; nil for a buffer that only reads.
  let arena: ByteArena?
  /// The same, for a use that counts no reference.
  let arenaReference: Unmanaged<ByteArena>?
  /// Where, in the arena, the record and its content start.
  var recordStart = 0
  var contentStart = 0
  /// False between records.
  var isOpen: Bool
  /// Keeps alive what is read, where the buffer owns it.
  let owner: ByteArena?

  let encoder: (any ReferenceEncoder)?
  let resolver: (any ReferenceResolver)?

  /// Makes an empty buffer to write to; what was written can be read from it too.
  ///
  /// - Parameters:
  ///   - version: What ``version`` says.
  ///   - capacity: The bytes to make room for at the start.
  public init(version: UInt8 = 1, capacity: Int = 0) {
    self.init(arena: ByteArena(capacity: min(max(capacity, 0), Self.contentByteLimit)), encoder: nil)
    beginRecord(version: version, headerByteCount: 0)
  }

  /// Makes a buffer that reads a copy of the bytes and cannot be written to.
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

  /// Makes a buffer for records that are written one after another to the end of an arena.
  ///
  /// Nothing can be written before ``beginRecord(version:headerByteCount:)``. Between records the arena may be used by
  /// others.
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

  /// Makes a buffer that reads memory of somebody else, who keeps it in place while the buffer is used.
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

/// An address that is not null, for buffers of no bytes: none is ever read or written there.
private nonisolated(unsafe) let nothing = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
