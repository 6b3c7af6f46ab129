/// The decision by metadata whether a file still has the data that an earlier snapshot has stored.
struct ChangeDetection: Sendable {
  let comparesInode: Bool
  let comparesChangeTime: Bool
  /// The time when reading for the earlier snapshot began; nil without one.
  let earlierStart: FileTime?

  init(_ options: AddOptions, earlier snapshot: Snapshot?) {
    comparesInode = !options.ignoresInode
    comparesChangeTime = !options.ignoresChangeTime
    earlierStart = snapshot?.readingStart
  }

  func isUnchanged(_ entry: FileEntry, since old: FileEntry) -> Bool {
    entry.kind == old.kind && (entry.kind != .regular || entry.byteCount == old.byteCount)
      && entry.modificationTime == old.modificationTime
      && (!comparesChangeTime || entry.changeTime == old.changeTime)
      && (!comparesInode || entry.identity.inode == old.identity.inode)
      && trustsTimes(of: old)
  }

  /// Tests whether a change after the earlier snapshot was read would have given the file other times.
  ///
  /// A file may be changed, read, and changed again within one tick of the file system's clock. It then has equal times
  /// and other data. The times of a file that was changed shortly before, or during, that reading therefore prove
  /// nothing.
  func trustsTimes(of old: FileEntry) -> Bool {
    guard let earlierStart else { return false }
    let newest = max(old.modificationTime, old.changeTime)
    return newest.adding(nanoseconds: Self.granularity(of: newest)) < earlierStart
  }

  /// Returns the resolution of the clock that a time comes from, with some margin, in nanoseconds.
  ///
  /// Linux takes times from the timer tick of at most 10 ms. FAT stores units of 2 seconds; other file systems store
  /// seconds or milliseconds. Their times have no smaller digits.
  private static func granularity(of time: FileTime) -> Int64 {
    time.nanoseconds.isMultiple(of: 1_000_000) ? 2_000_000_000 : 20_000_000
  }
}

extension FileTime {
  /// Returns the time some nanoseconds later, at most ten seconds; the latest possible time if the sum overflows.
  func adding(nanoseconds more: Int64) -> FileTime {
    let sum = Int64(nanoseconds) + more
    let (whole, overflows) = seconds.addingReportingOverflow(sum / 1_000_000_000)
    return overflows
      ? FileTime(seconds: .max, nanoseconds: 999_999_999)
      : FileTime(seconds: whole, nanoseconds: UInt32(sum % 1_000_000_000))
  }
}
