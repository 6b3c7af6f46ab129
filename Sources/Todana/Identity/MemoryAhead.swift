#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A hint to the system about memory that is about to be used for the first time, entirely and in order.
enum MemoryAhead {
  /// The number of bytes that the objects of one page of the identity table take, if they are of usual size.
  static let pageOfObjects = 96 << 10

  /// Asks the system to populate the memory after an address in one call.
  ///
  /// Otherwise each memory page causes a page fault at its first use, which takes a considerable part of the time of a
  /// large fetch. The call assumes that the allocator has just returned memory that ends at `address`, and will return
  /// the memory after it next. It is only a hint. It does no harm if the assumption is wrong, if the memory does not
  /// belong to the program, or on systems older than Linux 5.14.
  static func populate(behind address: UInt, byteCount: Int) {
    #if os(Linux)
      let pageSize = UInt(getpagesize())
      guard let start = unsafe UnsafeMutableRawPointer(bitPattern: (address + pageSize - 1) & ~(pageSize - 1)) else {
        return
      }
      // MADV_POPULATE_WRITE of <sys/mman.h>, which an old C library may not define. If the call fails, page faults do
      // the work.
      _ = unsafe madvise(start, byteCount, 23)
    #endif
  }
}
