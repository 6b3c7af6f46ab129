internal import CLibArchive

/// What libarchive says went wrong last.
enum LibArchiveError {
  /// In one line; it may quote what an archive holds.
  static func text(of archive: OpaquePointer) -> String {
    guard let text = unsafe archive_error_string(archive) else { return "libarchive does not say why" }
    return printable(Array(unsafe String(cString: text).utf8.prefix(1000)))
  }
}
