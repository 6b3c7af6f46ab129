/// Decides by metadata whether a file still has the data that an earlier snapshot has of it.
struct ChangeDetection: Sendable {
  let comparesInode: Bool
  let comparesChangeTime: Bool
  /// When the reading of the earlier snapshot began; nil without one.
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

  /// Whether a change after the earlier snapshot was read would have given the file other times.
  ///
  /// A file may be changed, read, and changed again within one step of the file system's clock: it has the same times
  /// then, and other data. So the times of a file that was changed just before, or during, that reading tell nothing.
  func trustsTimes(of old: FileEntry) -> Bool {
    guard let earlierStart else { return false }
    let newest = max(old.modificationTime, old.changeTime)
    return newest.adding(nanoseconds: Self.granularity(of: newest)) < earlierStart
  }

  /// The step of the clock that gave a time, with some margin, in nanoseconds.
  ///
  /// Linux takes times from the timer's tick, which is 10 ms at most. FAT keeps 2 seconds, and other file systems keep
  /// seconds or milliseconds: their times have no digits below.
  private static func granularity(of time: FileTime) -> Int64 {
    time.nanoseconds.isMultiple(of: 1_000_000) ? 2_000_000_000 : 20_000_000
  }
}

extension FileTime {
  /// The time some nanoseconds later, at most ten seconds; the last time that there is stays.
  func adding(nanoseconds more: Int64) -> FileTime {
    let sum = Int64(nanoseconds) + more
    let (whole, overflows) = seconds.addingReportingOverflow(sum / 1_000_000_000)
    return overflows
      ? FileTime(seconds: .max, nanoseconds: 999_999_999)
      : FileTime(seconds: whole, nanoseconds: UInt32(sum % 1_000_000_000))
  }
}
