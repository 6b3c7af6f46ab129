#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory that is about to be used for the first time, all of it and in order.
enum MemoryAhead {
  /// What the objects of a page of the identity table take, if they are of usual size.
  static let pageOfObjects = 96 << 10

  /// Has the system back the memory behind an address now, in one go, instead of at the first touch of each of its
  /// pages: a fault of its own for every page is a good part of what a large fetch takes.
  ///
  /// A hint, also for what an allocator hands out next where it has just handed out what ends at `address`. Where that
  /// is not so, or the memory is not the program's, or the system is older than Linux 5.14, nothing happens.
  static func populate(behind address: UInt, byteCount: Int) {
    #if os(Linux)
      let pageSize = UInt(getpagesize())
      guard let start = unsafe UnsafeMutableRawPointer(bitPattern: (address + pageSize - 1) & ~(pageSize - 1)) else {
        return
      }
      // MADV_POPULATE_WRITE of <sys/mman.h>, which the C library may be too old to name. What fails is done by faults.
      _ = unsafe madvise(start, byteCount, 23)
    #endif
  }
}
