internal import CLibArchive
internal import Glibc

/// The message of the last error in libarchive.
enum LibArchiveError {
  /// Before a header is read or written: a name that cannot be converted has libarchive look at `errno`, which it does not
  /// set, and end everything where some earlier call on the thread has left there that there is no memory.
  static func forgetNumber() { errno = 0 }

  /// Returns the message in one line, or another text if libarchive has none; it may quote the content of an archive.
  static func text(of archive: OpaquePointer, isReading: Bool = true) -> String {
    guard let text = unsafe archive_error_string(archive) else {
      return isReading ? "it is damaged, or ends too early" : "libarchive gives no reason"
    }
    return printable(Array(unsafe String(cString: text).utf8.prefix(1000)))
  }
}
