internal import CStorageEngine

/// Bytes that are too many for the memory: appended once, and read back later.
///
/// They stand in an unlinked temporary file, in the directory that the environment variable `TMPDIR` names, or in `/tmp`,
/// sealed under a key that nobody ever writes down. Not thread-safe.
@safe
final class SpillFile {
  private let handle: OpaquePointer

  init() throws(BackendError) {
    guard let handle = unsafe tdn_spill_open() else { throw BackendError(.noMemory, "There is not enough memory.") }
    unsafe self.handle = handle
  }

  deinit { unsafe tdn_spill_close(handle) }

  /// Where to read the bytes, all together.
  ///
  /// - Throws: ``BackendError/Code/noSpace``, and what else may befall a file.
  func append(_ bytes: UnsafeRawBufferPointer) throws(BackendError) -> UInt64 {
    guard let base = bytes.baseAddress else { return 0 }
    var position: UInt64 = 0
    var error = tdn_error()
    guard unsafe tdn_spill_append(handle, base, bytes.count, &position, &error) else {
      throw unsafe BackendError(&error)
    }
    return position
  }

  /// Fills memory with bytes that were appended together.
  ///
  /// - Throws: ``BackendError``, also where the file is not what was written.
  func read(_ position: UInt64, into memory: UnsafeMutableRawBufferPointer) throws(BackendError) {
    guard let base = memory.baseAddress else { return }
    var error = tdn_error()
    guard unsafe tdn_spill_read(handle, position, base, memory.count, &error) else {
      throw unsafe BackendError(&error)
    }
  }
}
