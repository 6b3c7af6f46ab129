internal import CLibArchive
internal import Glibc

/// A libarchive object for an entry to be written.
@safe
struct LibArchiveEntry: ~Copyable {
  let pointer: OpaquePointer

  /// Creates an empty entry.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` if there is no memory.
  init() throws(ArchiveError) {
    guard let pointer = unsafe archive_entry_new() else {
      throw ArchiveError(.tar, "There is no memory for an entry of a tar.")
    }
    unsafe self.pointer = pointer
  }

  deinit { unsafe archive_entry_free(pointer) }

  /// Sets the fields that a tar block holds; the others are in ``TarHeader/records``.
  ///
  /// Strings are stored unchanged, as libarchive is configured without conversion.
  func fill(_ entry: FileEntry, path: [UInt8], hardLinkTarget: [UInt8]?, storedByteCount: Int64) {
    unsafe Self.withCString(path) { unsafe archive_entry_copy_pathname(pointer, $0) }
    var kind: mode_t = S_IFREG
    switch entry.kind {
    case _ where hardLinkTarget != nil: break
    case .regular, .socket: break
    case .directory: kind = S_IFDIR
    case .fifo: kind = S_IFIFO
    case .symbolicLink(let target):
      kind = S_IFLNK
      unsafe Self.withCString(target) { unsafe archive_entry_copy_symlink(pointer, $0) }
    case .characterDevice(let major, let minor):
      kind = S_IFCHR
      setDevice(major, minor)
    case .blockDevice(let major, let minor):
      kind = S_IFBLK
      setDevice(major, minor)
    }
    unsafe archive_entry_set_mode(pointer, kind | mode_t(entry.permissions))
    if let hardLinkTarget {
      unsafe Self.withCString(hardLinkTarget) { unsafe archive_entry_copy_hardlink(pointer, $0) }
    }
    unsafe archive_entry_set_size(pointer, storedByteCount)
    unsafe archive_entry_set_uid(pointer, Int64(entry.owner.userID))
    unsafe archive_entry_set_gid(pointer, Int64(entry.owner.groupID))
    if let name = entry.owner.userName {
      unsafe Self.withCString(name) { unsafe archive_entry_copy_uname(pointer, $0) }
    }
    if let name = entry.owner.groupName {
      unsafe Self.withCString(name) { unsafe archive_entry_copy_gname(pointer, $0) }
    }
    // Clamp the time to the range of the block; the exact time is in the records.
    let seconds = min(max(entry.modificationTime.seconds, 0), Int64(Int32.max) - 1)
    unsafe archive_entry_set_mtime(pointer, time_t(seconds), 0)
  }

  private func setDevice(_ major: UInt32, _ minor: UInt32) {
    unsafe archive_entry_set_rdevmajor(pointer, dev_t(major))
    unsafe archive_entry_set_rdevminor(pointer, dev_t(minor))
  }

  private static func withCString(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Void) {
    unsafe (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { unsafe body(start) }
    }
  }
}

/// Access to the last error of libarchive.
enum LibArchiveError {
  /// Clears `errno` before a header is read or written.
  ///
  /// If libarchive cannot convert a name, it checks `errno` without having set it. A leftover `ENOMEM` of an earlier
  /// call would then end the whole operation.
  static func forgetNumber() { errno = 0 }

  /// Returns the message in one line, or a fallback if libarchive has none; the message may quote the content of an
  /// archive.
  static func text(of archive: OpaquePointer, isReading: Bool = true) -> String {
    guard let text = unsafe archive_error_string(archive) else {
      return isReading ? "it is damaged or truncated" : "libarchive reports no reason"
    }
    return printable(Array(unsafe String(cString: text).utf8.prefix(1000)))
  }
}
