internal import CLibArchive
internal import Glibc

/// What libarchive says went wrong last.
enum LibArchiveError {
  /// Before a header is read or written: a name that cannot be converted has libarchive look at `errno`, which it does not
  /// set, and end everything where some earlier call on the thread has left there that there is no memory.
  static func forgetNumber() { errno = 0 }

  /// In one line; it may quote what an archive holds.
  static func text(of archive: OpaquePointer) -> String {
    guard let text = unsafe archive_error_string(archive) else { return "libarchive does not say why" }
    return printable(Array(unsafe String(cString: text).utf8.prefix(1000)))
  }
}
