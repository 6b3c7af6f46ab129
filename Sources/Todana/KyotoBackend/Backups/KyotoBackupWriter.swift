internal import CStorageEngine

/// A writer of a backup's files into a directory; see `BackupWriter.h`.
@safe
final class KyotoBackupWriter {
  private let pointer: OpaquePointer

  init(at path: String) throws(BackendError) {
    try SeriesTask.check(path)
    var error = tdn_error()
    guard let opened = unsafe tdn_backup_writer_open(path, &error) else { throw unsafe BackendError(&error) }
    unsafe pointer = opened
  }

  deinit { unsafe tdn_backup_writer_close(pointer) }

  func begin(_ name: String) throws(BackendError) {
    guard !name.utf8.contains(0) else {
      throw BackendError(.damaged, "the backup contains a file that does not belong to a store")
    }
    try unsafe call { unsafe tdn_backup_writer_begin(pointer, name, $0) }
  }

  func write(_ bytes: [UInt8]) throws(BackendError) {
    try unsafe call { unsafe tdn_backup_writer_write(pointer, bytes, bytes.count, $0) }
  }

  /// Finishes the store, and moves it into place.
  func finish() throws(BackendError) { try unsafe call { unsafe tdn_backup_writer_finish(pointer, $0) } }

  private func call(_ body: (UnsafeMutablePointer<tdn_error>) -> Bool) throws(BackendError) {
    var error = tdn_error()
    guard unsafe body(&error) else { throw unsafe BackendError(&error) }
  }
}
