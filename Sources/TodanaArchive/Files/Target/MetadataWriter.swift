internal import CFileSystem
internal import Glibc

/// A writer of an entry's metadata to a file; metadata that cannot be set is added to the report.
///
/// The order matters:
/// - The owner comes first. A new owner removes setuid, setgid and capabilities from a file.
/// - User attributes (`user.…`) follow. Setting them requires write permission, which the new permissions may take
///   away.
/// - Permissions come before access control lists, which refine them.
/// - The time comes after all of these, since each of them may change it.
/// - Flags come last, in ``writeFlags(_:)``. An immutable file accepts no other metadata, and cannot be renamed.
struct MetadataWriter {
  let file: CInt
  let path: EntryPath
  let context: TargetContext
  /// Whether the file has the entry's content.
  ///
  /// If not, its time stays, and it gets no privileges intended for that content (setuid, setgid, capabilities).
  var hasContent = true

  /// The permissions of an unfinished directory; no other directory has both setuid and sticky bit.
  static let unfinishedPermissions: UInt32 = 0o5700

  /// Sets all metadata except flags.
  func write(_ entry: FileEntry) {
    writeOwner(entry)
    removeAttributes(notOf: entry)
    for attribute in entry.attributes where isUserAttribute(attribute.name) { write(attribute) }
    // Symbolic links have no permissions of their own.
    let hasPermissions = !entry.isSymbolicLink && writePermissions(entry)
    for attribute in entry.attributes where !isUserAttribute(attribute.name) { write(attribute) }
    let hasTime = hasContent && writeTime(entry)
    verify(entry, hasPermissions: hasPermissions, hasTime: hasTime)
  }

  /// Sets all metadata of a new directory except flags; its permissions come last.
  ///
  /// If the process is killed before the end, the directory has the marker that `removeMarker` removes, or
  /// ``unfinishedPermissions``. Either shows the next run that the directory is unfinished.
  func write(_ entry: FileEntry, removeMarker: () -> Void) {
    writeOwner(entry)
    removeAttributes(notOf: entry)
    for attribute in entry.attributes where isUserAttribute(attribute.name) { write(attribute) }
    for attribute in entry.attributes where !isUserAttribute(attribute.name) { write(attribute) }
    // Removing the marker changes the time, and needs write permission. The result is ignored: some file systems have
    // no permissions.
    _ = tdf_set_permissions(file, Self.unfinishedPermissions)
    removeMarker()
    let hasTime = writeTime(entry)
    verify(entry, hasPermissions: writePermissions(entry), hasTime: hasTime)
  }

  /// Sets the modification time; returns false if that failed.
  @discardableResult
  func writeTime(_ entry: FileEntry) -> Bool {
    let time = entry.modificationTime
    let result = tdf_set_modification_time(file, time.seconds, time.nanoseconds)
    check(.setTimes, result)
    return result == 0
  }

  /// Reports metadata that the file system has silently changed, such as times that it rounds.
  private func verify(_ entry: FileEntry, hasPermissions: Bool, hasTime: Bool) {
    var status = tdf_status()
    let result = unsafe tdf_get_status(file, &status)
    guard result == 0 else { return check(.readStatus, result) }
    if hasTime, .modification(status) != entry.modificationTime { context.report.addAltered(.setTimes, path) }
    if hasPermissions, permissions(of: entry, status) != status.mode & 0o7777 {
      context.report.addAltered(.setPermissions, path)
    }
  }

  func check(_ operation: FileError.Operation, _ result: CInt, detail: String? = nil) {
    guard result < 0 else { return }
    let lock = result == -EPERM ? lockingFlags() : []
    let details = [detail, lock.isEmpty ? nil : "it is \(lock)"].compactMap { $0 }
    context.report.add(
      FileError(
        operation, path.bytes, errorNumber: -result,
        detail: details.isEmpty ? nil : details.joined(separator: "; ")))
  }

  // MARK: Owner and permissions

  func numbers(of owner: FileOwner) -> (userID: UInt32, groupID: UInt32) {
    context.options.owners == .names
      ? context.owners.numbers(of: owner) : (userID: owner.userID, groupID: owner.groupID)
  }

  /// Whether the process may set owners, and the options ask for it.
  var setsOwners: Bool { context.options.owners != .own && tdf_is_root() }

  private func writeOwner(_ entry: FileEntry) {
    if context.options.owners == .own { return }
    let (userID, groupID) = numbers(of: entry.owner)
    var status = tdf_status()
    guard unsafe tdf_get_status(file, &status) != 0 || status.user_id != userID || status.group_id != groupID else {
      return
    }
    guard setsOwners else { return context.report.addSkippedOwner(path) }
    check(.setOwner, tdf_set_owner(file, userID, groupID), detail: "\(userID):\(groupID)")
  }

  /// Sets the permissions; returns false if that failed.
  private func writePermissions(_ entry: FileEntry) -> Bool {
    var status = tdf_status()
    let found = unsafe tdf_get_status(file, &status)
    guard found == 0 else {
      check(.setPermissions, found)
      return false
    }
    let permissions = permissions(of: entry, status)
    if !hasContent, entry.hasPrivileges {
      let detail = "setuid, setgid and capabilities of a file with other content"
      context.report.add(FileError(.setPermissions, path.bytes, .skipped, detail: detail))
    } else if permissions != UInt32(entry.permissions) & 0o7777 {
      let detail = "setuid and setgid without their owner"
      context.report.add(FileError(.setPermissions, path.bytes, .skipped, detail: detail))
    }
    let result = tdf_set_permissions(file, permissions)
    check(.setPermissions, result)
    return result == 0
  }

  /// Returns the permissions for a file that has the owner in `status`.
  ///
  /// Privileges intended for another owner, or for other content, are left out.
  func permissions(of entry: FileEntry, _ status: tdf_status) -> UInt32 {
    var permissions = UInt32(entry.permissions) & 0o7777
    guard entry.kind == .regular else { return permissions }
    if !hasContent { return permissions & ~(S_ISUID | S_ISGID) | status.mode & (S_ISUID | S_ISGID) }
    // With setuid, the program would run with the rights of the restoring user instead of its owner's.
    let (userID, groupID) = numbers(of: entry.owner)
    if status.user_id != userID { permissions &= ~S_ISUID }
    if status.group_id != groupID { permissions &= ~S_ISGID }
    return permissions
  }

  // MARK: Attributes

  private func isUserAttribute(_ name: [UInt8]) -> Bool { name.starts(with: Array("user.".utf8)) }

  private func write(_ attribute: ExtendedAttribute) {
    if !hasContent, attribute.isCapability { return }
    let result = unsafe attribute.name.withUnsafeBufferPointer { name in
      unsafe attribute.value.withUnsafeBufferPointer { value in
        unsafe tdf_set_attribute(file, name.baseAddress, name.count, value.baseAddress, value.count)
      }
    }
    check(.setAttribute, result, detail: printable(attribute.name))
  }

  /// Removes attributes that the entry does not have.
  ///
  /// The file may have inherited such attributes from its directory, for example a default access control list, or had
  /// them before.
  private func removeAttributes(notOf entry: FileEntry) {
    let reader = EntryReader(file: file, path: path, owners: context.owners)
    let wanted = Set(entry.attributes.map(\.name))
    let (names, errorNumber) = reader.attributeNames()
    check(.readAttributes, -errorNumber)
    for name in names where !wanted.contains(name) && isOfContent(name) {
      let result = unsafe name.withUnsafeBufferPointer { unsafe tdf_remove_attribute(file, $0.baseAddress, $0.count) }
      if result != -ENODATA { check(.setAttribute, result, detail: printable(name)) }
    }
  }

  /// Tests whether an attribute belongs to a file's content and rights.
  ///
  /// Others, such as labels of a security module, are managed by the system.
  func isOfContent(_ name: [UInt8]) -> Bool {
    isUserAttribute(name) || name.starts(with: Array("system.posix_acl_".utf8))
      || hasContent && name == ExtendedAttribute.capabilityName
  }
}

extension FileEntry {
  var isSymbolicLink: Bool { if case .symbolicLink = kind { true } else { false } }

  /// Whether running the file would give its owner's rights, or capabilities, to any user.
  var hasPrivileges: Bool {
    kind == .regular && (UInt32(permissions) & (S_ISUID | S_ISGID) != 0 || attributes.contains(where: \.isCapability))
  }
}

extension ExtendedAttribute {
  static let capabilityName = Array("security.capability".utf8)

  var isCapability: Bool { name == Self.capabilityName }
}

extension MetadataWriter {
  /// Adds the flags of an entry; must be called after all other changes.
  ///
  /// Flags that the file has inherited from its directory stay. Flags that the file system does not support, or that
  /// only root may set, are reported by name.
  func writeFlags(_ entry: FileEntry) {
    guard !entry.flags.isEmpty, entry.kind == .regular || entry.kind == .directory else { return }
    var flags: UInt32 = 0
    let result = unsafe tdf_get_flags(file, &flags)
    guard result == 0 else { return check(.setFlags, result, detail: "\(entry.flags)") }
    let missing = entry.flags.subtracting(FileFlags(rawValue: flags))
    if missing.isEmpty { return }
    let reserved = tdf_is_root() ? [] : missing.intersection(.locking)
    if !reserved.isEmpty {
      let detail = "only root can make files \(reserved)"
      context.report.add(FileError(.setFlags, path.bytes, .skipped, detail: detail))
    }
    let wanted = missing.subtracting(reserved)
    if wanted.isEmpty { return }
    // If the file system does not support one of the flags, it refuses all. Then they are set one by one, locking flags
    // last, since a locked file accepts no further flags.
    var failure = tdf_set_flags(file, flags | wanted.rawValue)
    if failure != 0 {
      for flag in wanted.subtracting(.locking).each + wanted.intersection(.locking).each {
        if tdf_set_flags(file, flags | flag.rawValue) == 0 { flags |= flag.rawValue }
      }
    }
    // Some file systems, and some kinds of files, ignore flags without an error.
    var found: UInt32 = 0
    let left = unsafe tdf_get_flags(file, &found) == 0 ? wanted.subtracting(FileFlags(rawValue: found)) : wanted
    if failure == 0 { failure = -EOPNOTSUPP }
    if !left.isEmpty { check(.setFlags, failure, detail: "\(left)") }
  }

  /// Returns the file's flags that prevent changes.
  func lockingFlags() -> FileFlags {
    var status = tdf_status()
    guard unsafe tdf_get_status(file, &status) == 0, status.isFileOrDirectory else { return [] }
    var flags: UInt32 = 0
    guard unsafe tdf_get_flags(file, &flags) == 0 else { return [] }
    return FileFlags(rawValue: flags).intersection(.locking)
  }
}

extension MetadataWriter {
  /// Asks the file system not to copy a new file's blocks on write; it may ignore that.
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
  /// Whether the file can be opened without waiting or side effects, unlike devices and FIFOs.
  var isFileOrDirectory: Bool { mode & S_IFMT == S_IFREG || mode & S_IFMT == S_IFDIR }
}
