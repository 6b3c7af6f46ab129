/// Growing memory for encoded bytes: one allocation that a whole save, or a whole scan, reuses.
///
/// Not thread-safe. Pointers into it are good until the next call that may grow it.
@safe
public final class ByteArena {
  /// The first byte; never null, even at capacity 0.
  package private(set) var base: UnsafeMutableRawPointer
  package private(set) var capacity: Int
  /// Bytes in use, from `base` on.
  package var count = 0

  public init(capacity: Int = 0) {
    let capacity = max(capacity, 64)
    unsafe base = .allocate(byteCount: capacity, alignment: 16)
    self.capacity = capacity
  }

  deinit { unsafe base.deallocate() }

  /// The bytes in use.
  public var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: base, count: count)
  }

  /// Makes room for `byteCount` bytes in all, at least doubling when it grows.
  package func reserve(_ byteCount: Int) {
    guard byteCount > capacity else { return }
    let newCapacity = max(byteCount, capacity * 2)
    let newBase = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    unsafe newBase.copyMemory(from: base, byteCount: count)
    unsafe base.deallocate()
    unsafe base = newBase
    capacity = newCapacity
  }

  /// Lets go of memory beyond `byteCount`, so that one large record does not stay resident for good.
  package func shrink(to byteCount: Int) {
    guard capacity > byteCount, count <= byteCount else { return }
    let newCapacity = max(byteCount, 64)
    let newBase = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    unsafe newBase.copyMemory(from: base, byteCount: count)
    unsafe base.deallocate()
    unsafe base = newBase
    capacity = newCapacity
  }
}
