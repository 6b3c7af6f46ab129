internal import CStorageEngine

/// A temporary file for bytes that would take too much memory: appended once, and read back later.
///
/// The file is unlinked, in the directory that the environment variable `TMPDIR` names, or in `/tmp`. It is sealed with
/// a key that is never stored. Not thread-safe.
@safe
final class SpillFile {
  private let handle: OpaquePointer

  init() throws(BackendError) {
    guard let handle = unsafe tdn_spill_open() else { throw BackendError(.noMemory, "There is not enough memory.") }
    unsafe self.handle = handle
  }

  deinit { unsafe tdn_spill_close(handle) }

  /// Appends bytes, and returns the position from which to read all of them.
  ///
  /// - Throws: ``BackendError/Code/noSpace``, or another error of writing a file.
  func append(_ bytes: UnsafeRawBufferPointer) throws(BackendError) -> UInt64 {
    guard let base = bytes.baseAddress else { return 0 }
    var position: UInt64 = 0
    var error = tdn_error()
    guard unsafe tdn_spill_append(handle, base, bytes.count, &position, &error) else {
      throw unsafe BackendError(&error)
    }
    return position
  }

  /// Fills memory with the bytes that one call of ``append(_:)`` wrote.
  ///
  /// - Throws: ``BackendError``, for example if the bytes in the file differ from the written ones.
  func read(_ position: UInt64, into memory: UnsafeMutableRawBufferPointer) throws(BackendError) {
    guard let base = memory.baseAddress else { return }
    var error = tdn_error()
    guard unsafe tdn_spill_read(handle, position, base, memory.count, &error) else {
      throw unsafe BackendError(&error)
    }
  }
}
