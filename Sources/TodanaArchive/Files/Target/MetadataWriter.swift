internal import CFileSystem
internal import Glibc

/// Gives a file the metadata of an entry; what cannot be set goes to the report.
///
/// The order matters. A new owner takes setuid, setgid and capabilities from a file, so it comes first. Attributes that
/// belong to the file's user need the right to write, which the permissions may take away. Access control lists are part
/// of the permissions, and refine them. Any of these changes times. Flags come last, and not in ``write(_:)``: an
/// immutable file takes no other metadata, and not even its name.
struct MetadataWriter {
  let file: CInt
  let path: EntryPath
  let context: TargetContext
  /// Whether the file has the entry's content.
  ///
  /// If not, its time stays, and it gets no rights that its content would have (setuid, setgid, capabilities).
  var hasContent = true

  /// Permissions of a directory that is not finished: no directory has setuid and sticky bit otherwise.
  static let unfinishedPermissions: UInt32 = 0o5700

  /// Sets all metadata but flags.
  func write(_ entry: FileEntry) {
    writeOwner(entry)
    removeAttributes(notOf: entry)
    for attribute in entry.attributes where isUserAttribute(attribute.name) { write(attribute) }
    // A link has no permissions of its own.
    let hasPermissions = !entry.isSymbolicLink && writePermissions(entry)
    for attribute in entry.attributes where !isUserAttribute(attribute.name) { write(attribute) }
    let hasTime = hasContent && writeTime(entry)
    verify(entry, hasPermissions: hasPermissions, hasTime: hasTime)
  }

  /// Sets all metadata of a new directory but flags, its permissions in the last step.
  ///
  /// A process that is killed before has left ``unfinishedPermissions``, or what `removeMarker` removes.
  func write(_ entry: FileEntry, removeMarker: () -> Void) {
    writeOwner(entry)
    removeAttributes(notOf: entry)
    for attribute in entry.attributes where isUserAttribute(attribute.name) { write(attribute) }
    for attribute in entry.attributes where !isUserAttribute(attribute.name) { write(attribute) }
    // Removing the marker changes the time, and needs the right to write. A file system without permissions refuses this.
    _ = tdf_set_permissions(file, Self.unfinishedPermissions)
    removeMarker()
    let hasTime = writeTime(entry)
    verify(entry, hasPermissions: writePermissions(entry), hasTime: hasTime)
  }

  /// Sets the modification time; false if that failed.
  @discardableResult
  func writeTime(_ entry: FileEntry) -> Bool {
    let time = entry.modificationTime
    let result = tdf_set_modification_time(file, time.seconds, time.nanoseconds)
    check(.setTimes, result)
    return result == 0
  }

  /// Reports metadata that the file system has changed without an error, such as times that it rounds.
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

  /// Whether files may be given to their owners.
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

  /// Sets the permissions; false if that failed.
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
      let detail = "setuid and setgid without the owner they are for"
      context.report.add(FileError(.setPermissions, path.bytes, .skipped, detail: detail))
    }
    let result = tdf_set_permissions(file, permissions)
    check(.setPermissions, result)
    return result == 0
  }

  /// Returns the permissions that the file gets when it has the owner in its status.
  func permissions(of entry: FileEntry, _ status: tdf_status) -> UInt32 {
    var permissions = UInt32(entry.permissions) & 0o7777
    guard entry.kind == .regular else { return permissions }
    if !hasContent { return permissions & ~(S_ISUID | S_ISGID) | status.mode & (S_ISUID | S_ISGID) }
    // A program would run with the rights of whoever restored it, instead of its owner's.
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

  /// Removes attributes that the file has from the directory that it was made in, such as a default access control list,
  /// or had before.
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

  /// Returns whether an attribute belongs to a file's content and rights; others, such as labels of a security module, are
  /// the system's own.
  func isOfContent(_ name: [UInt8]) -> Bool {
    isUserAttribute(name) || name.starts(with: Array("system.posix_acl_".utf8))
      || hasContent && name == ExtendedAttribute.capabilityName
  }
}

extension FileEntry {
  var isSymbolicLink: Bool { if case .symbolicLink = kind { true } else { false } }

  /// Whether running the file would give rights to whoever runs it.
  var hasPrivileges: Bool {
    kind == .regular && (UInt32(permissions) & (S_ISUID | S_ISGID) != 0 || attributes.contains(where: \.isCapability))
  }
}

extension ExtendedAttribute {
  static let capabilityName = Array("security.capability".utf8)

  var isCapability: Bool { name == Self.capabilityName }
}

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
