import CTextIndex

/// Pages of segments that searches have read last.
///
/// Safe to share: the object of C has locks of its own.
@safe
final class TextPageCache: @unchecked Sendable {
  let cache: OpaquePointer

  /// - Parameter byteCapacity: The most bytes of pages.
  /// - Throws: ``BackendError/Code/noMemory``.
  init(byteCapacity: Int) throws(BackendError) {
    guard let cache = unsafe tdt_page_cache_new(byteCapacity) else {
      throw BackendError(.noMemory, "There is not enough memory for a text index.")
    }
    unsafe self.cache = cache
  }

  deinit { unsafe tdt_page_cache_free(cache) }
}
