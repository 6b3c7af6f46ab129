internal import CFileSystem
internal import Glibc

extension MetadataWriter {
  /// Adds the flags of an entry, after all else; those that the target's directory passes on to its files stay.
  ///
  /// Flags that the file system does not take, or only root may set, go to the report by their names.
  func writeFlags(_ entry: FileEntry) {
    guard !entry.flags.isEmpty, entry.kind == .regular || entry.kind == .directory else { return }
    var flags: UInt32 = 0
    let result = unsafe tdf_get_flags(file, &flags)
    guard result == 0 else { return check(.setFlags, result, detail: "\(entry.flags)") }
    let missing = entry.flags.subtracting(FileFlags(rawValue: flags))
    if missing.isEmpty { return }
    let reserved = tdf_is_root() ? [] : missing.intersection(.locking)
    if !reserved.isEmpty {
      let detail = "only root makes files \(reserved)"
      context.report.add(FileError(.setFlags, path.bytes, .skipped, detail: detail))
    }
    let wanted = missing.subtracting(reserved)
    if wanted.isEmpty { return }
    // A file system refuses all of them if it has not one; then each that it has is set. Locked files take no more.
    var failure = tdf_set_flags(file, flags | wanted.rawValue)
    if failure != 0 {
      for flag in wanted.subtracting(.locking).each + wanted.intersection(.locking).each {
        if tdf_set_flags(file, flags | flag.rawValue) == 0 { flags |= flag.rawValue }
      }
    }
    // Some file systems, and some kinds of files, leave flags out without an error.
    var found: UInt32 = 0
    let left = unsafe tdf_get_flags(file, &found) == 0 ? wanted.subtracting(FileFlags(rawValue: found)) : wanted
    if failure == 0 { failure = -EOPNOTSUPP }
    if !left.isEmpty { check(.setFlags, failure, detail: "\(left)") }
  }

  /// Returns those of the file's flags that keep it from being changed.
  func lockingFlags() -> FileFlags {
    var status = tdf_status()
    guard unsafe tdf_get_status(file, &status) == 0, status.isFileOrDirectory else { return [] }
    var flags: UInt32 = 0
    guard unsafe tdf_get_flags(file, &flags) == 0 else { return [] }
    return FileFlags(rawValue: flags).intersection(.locking)
  }
}

extension MetadataWriter {
  /// Asks the file system not to copy a new file's blocks on writing, which it may not do.
  static func setNoCopyOnWrite(_ file: CInt) {
    var flags: UInt32 = 0
    guard unsafe tdf_get_flags(file, &flags) == 0 else { return }
    _ = tdf_set_flags(file, flags | FileFlags.noCopyOnWrite.rawValue)
  }
}

extension FileEntry {
  var withoutLockingFlags: FileEntry {
    var entry = self
    entry.flags.subtract(.locking)
    return entry
  }
}

extension tdf_status {
  /// Whether the file may be opened without waiting for anything: devices and FIFOs are not.
  var isFileOrDirectory: Bool { mode & S_IFMT == S_IFREG || mode & S_IFMT == S_IFDIR }
}
