#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A growing block of memory for encoded bytes: one allocation that a whole save or scan reuses.
///
/// It is not thread-safe. Pointers into it are valid until the next call that may grow it.
@safe
public final class ByteArena {
  // Each access is a single load or store, so no two can overlap. Checking for overlaps at run time would take longer
  // than most writes.
  @exclusivity(unchecked) private var storedBase: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var storedCapacity: Int
  @exclusivity(unchecked) private var storedCount = 0

  public init(capacity: Int = 0) {
    let capacity = max(capacity, 64)
    unsafe storedBase = Self.memory(malloc(capacity), capacity)
    unsafe storedCapacity = capacity
  }

  deinit { unsafe free(storedBase) }

  /// The address of the first byte; never null, even at capacity 0.
  package var base: UnsafeMutableRawPointer { unsafe storedBase }

  package var capacity: Int { unsafe storedCapacity }

  /// The number of bytes in use, from `base` on.
  package var count: Int {
    get { unsafe storedCount }
    set { unsafe storedCount = newValue }
  }

  /// The bytes in use.
  public var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: base, count: count)
  }

  /// Reserves room for `byteCount` bytes in all; when the arena grows, its capacity at least doubles.
  package func reserve(_ byteCount: Int) {
    guard byteCount > capacity else { return }
    move(toCapacity: max(byteCount, capacity * 2))
  }

  /// Releases memory beyond `byteCount`, so that one large record does not take resident memory permanently.
  package func shrink(to byteCount: Int) {
    guard capacity > byteCount, count <= byteCount else { return }
    move(toCapacity: max(byteCount, 64))
  }

  /// Appends a copy of bytes, and returns its position.
  public func append(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
    let start = count
    reserve(start + bytes.count)
    if let source = bytes.baseAddress { unsafe (base + start).copyMemory(from: source, byteCount: bytes.count) }
    count = start + bytes.count
    return start..<count
  }

  /// Appends a copy of bytes, and returns its position.
  public func append(_ bytes: [UInt8]) -> Range<Int> {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }

  /// Appends a copy of bytes that the arena already contains.
  func appendCopy(of range: Range<Int>) {
    let start = count
    reserve(start + range.count)
    unsafe (base + start).copyMemory(from: base + range.lowerBound, byteCount: range.count)
    count = start + range.count
  }

  /// Changes the capacity; for large arenas, the C library remaps pages instead of copying bytes.
  private func move(toCapacity newCapacity: Int) {
    unsafe storedBase = Self.memory(realloc(storedBase, newCapacity), newCapacity)
    unsafe storedCapacity = newCapacity
  }

  private static func memory(_ memory: UnsafeMutableRawPointer?, _ byteCount: Int) -> UnsafeMutableRawPointer {
    // Swift's own allocations fail in this way, too.
    guard let memory = unsafe memory else { fatalError("\(byteCount) bytes of memory cannot be allocated.") }
    return unsafe memory
  }
}
