internal import CFileSystem
internal import Glibc

/// Gives a file the metadata of an entry; what cannot be set goes to the report.
///
/// The order matters. A new owner takes setuid, setgid and capabilities from a file, so it comes first. Attributes that
/// belong to the file's user need the right to write, which the permissions may take away. Access control lists are part
/// of the permissions, and refine them. Any of these changes times.
struct MetadataWriter {
  let file: CInt
  let path: EntryPath
  let context: TargetContext

  func write(_ entry: FileEntry) {
    let isLink = if case .symbolicLink = entry.kind { true } else { false }
    writeOwner(entry)
    removeAttributes(notOf: entry)
    for attribute in entry.attributes where isUserAttribute(attribute.name) { write(attribute) }
    // A link has no permissions of its own.
    if !isLink { writePermissions(entry) }
    for attribute in entry.attributes where !isUserAttribute(attribute.name) { write(attribute) }
    let time = entry.modificationTime
    check(.setTimes, tdf_set_modification_time(file, time.seconds, time.nanoseconds))
  }

  private func check(_ operation: FileError.Operation, _ result: CInt, detail: String? = nil) {
    guard result < 0 else { return }
    context.report.add(FileError(operation, path.bytes, errorNumber: -result, detail: detail))
  }

  // MARK: Owner and permissions

  private func numbers(of owner: FileOwner) -> (userID: UInt32, groupID: UInt32) {
    context.options.owners == .names
      ? context.owners.numbers(of: owner) : (userID: owner.userID, groupID: owner.groupID)
  }

  private func writeOwner(_ entry: FileEntry) {
    let (userID, groupID) = numbers(of: entry.owner)
    var status = tdf_status()
    guard unsafe tdf_get_status(file, &status) != 0 || status.user_id != userID || status.group_id != groupID else {
      return
    }
    guard context.options.owners != .own, tdf_is_root() else { return context.report.addSkippedOwner(path) }
    check(.setOwner, tdf_set_owner(file, userID, groupID), detail: "\(userID):\(groupID)")
  }

  private func writePermissions(_ entry: FileEntry) {
    var permissions = UInt32(entry.permissions) & 0o7777
    var status = tdf_status()
    let result = unsafe tdf_get_status(file, &status)
    guard result == 0 else { return check(.setPermissions, result) }
    // A program would run with the rights of whoever restored it, instead of its owner's.
    let (userID, groupID) = numbers(of: entry.owner)
    if entry.kind == .regular {
      if status.user_id != userID { permissions &= ~S_ISUID }
      if status.group_id != groupID { permissions &= ~S_ISGID }
    }
    if permissions != UInt32(entry.permissions) & 0o7777 {
      let detail = "setuid and setgid without the owner they are for"
      context.report.add(FileError(.setPermissions, path.bytes, .skipped, detail: detail))
    }
    check(.setPermissions, tdf_set_permissions(file, permissions))
  }

  // MARK: Attributes

  private func isUserAttribute(_ name: [UInt8]) -> Bool { name.starts(with: Array("user.".utf8)) }

  private func write(_ attribute: ExtendedAttribute) {
    let result = unsafe attribute.name.withUnsafeBufferPointer { name in
      unsafe attribute.value.withUnsafeBufferPointer { value in
        unsafe tdf_set_attribute(file, name.baseAddress, name.count, value.baseAddress, value.count)
      }
    }
    check(.setAttribute, result, detail: printable(attribute.name))
  }

  /// Removes what the file has from the directory that it was made in, such as a default access control list, or had
  /// before.
  private func removeAttributes(notOf entry: FileEntry) {
    let reader = EntryReader(file: file, path: path, owners: context.owners)
    let wanted = Set(entry.attributes.map(\.name))
    for name in reader.attributeNames().names where !wanted.contains(name) && isOfContent(name) {
      let result = unsafe name.withUnsafeBufferPointer { unsafe tdf_remove_attribute(file, $0.baseAddress, $0.count) }
      if result != -ENODATA { check(.setAttribute, result, detail: printable(name)) }
    }
  }

  /// Others, such as labels of a security module, are the system's own.
  private func isOfContent(_ name: [UInt8]) -> Bool {
    isUserAttribute(name) || name.starts(with: Array("system.posix_acl_".utf8))
      || name == Array("security.capability".utf8)
  }
}
