internal import Glibc

/// The free room on the disk that an archive is on.
struct DiskRoom {
  /// Bytes that adding content leaves free, so that an archive that has filled its disk can still be opened and compacted.
  static let reservedByteCount = 8 << 20

  let path: String

  /// Returns the bytes that this process may use; nil if the file system does not tell.
  var freeByteCount: Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
    // Part of a file system is often reserved for root.
    let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
    let (byteCount, overflows) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflows ? nil : Int(clamping: byteCount)
  }

  /// Throws ``ArchiveError/Code/noSpace`` if less than the reserve would be left after writing so many bytes.
  func check(writing byteCount: Int) throws(ArchiveError) {
    guard let freeByteCount, freeByteCount - Self.reservedByteCount < byteCount else { return }
    let missing = byteCount - (freeByteCount - Self.reservedByteCount)
    throw ArchiveError(
      .noSpace,
      "The disk is full: \(freeByteCount >> 10) KiB are free, of which an archive leaves "
        + "\(Self.reservedByteCount >> 10) KiB for opening and compacting it. "
        + "Free at least \((missing + 1023) >> 10) KiB more.")
  }
}
