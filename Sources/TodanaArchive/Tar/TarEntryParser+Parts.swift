internal import CLibArchive

extension TarEntryParser {
  /// Nobody's, where a number is none that a system has: 0 would be root's.
  private static let nobody: UInt32 = 65534

  var owner: FileOwner {
    func name(_ key: String, _ text: UnsafePointer<CChar>?) -> [UInt8]? {
      let name = unsafe records[key] ?? Self.bytes(text)
      return name.isEmpty ? nil : name
    }
    return unsafe FileOwner(
      userID: UInt32(exactly: archive_entry_uid(pointer)) ?? Self.nobody,
      groupID: UInt32(exactly: archive_entry_gid(pointer)) ?? Self.nobody,
      userName: name("uname", archive_entry_uname(pointer)), groupName: name("gname", archive_entry_gname(pointer)))
  }

  var ownerWarning: String? {
    let numbers = unsafe [archive_entry_uid(pointer), archive_entry_gid(pointer)]
    return numbers.allSatisfy { UInt32(exactly: $0) != nil } ? nil : "The owner's number is none."
  }

  /// What libarchive said, but for names that it cannot convert: these are here as they are.
  var nameWarning: String? {
    warning.flatMap { $0.contains("can't be converted") && !records.records.isEmpty ? nil : $0 }
  }

  /// With the nine bits of permissions, which a list of access overrides.
  var attributes: (attributes: [ExtendedAttribute], permissions: UInt16, warning: String?) {
    let lists = TarAccessLists(records, owners)
    var attributes = TarAttributes(records)
    var (name, value, count) = unsafe (UnsafePointer<CChar>?.none, UnsafeRawPointer?.none, 0)
    unsafe archive_entry_xattr_reset(pointer)
    while unsafe archive_entry_xattr_next(pointer, &name, &value, &count) == ARCHIVE_OK {
      attributes.add(
        unsafe Self.bytes(name), unsafe Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : count)))
    }
    for attribute in lists.attributes where !attributes.list.contains(where: { $0.name == attribute.name }) {
      attributes.list.append(attribute)
    }
    return (attributes.list, lists.permissions ?? UInt16(unsafe archive_entry_perm(pointer) & 0o777), lists.warning)
  }

  func dataRanges(_ path: [UInt8], _ byteCount: Int64) throws(ArchiveError) -> [Range<Int64>]? {
    var (offset, count) = (Int64(0), Int64(0))
    guard unsafe archive_entry_sparse_reset(pointer) > 0 else { return nil }
    var ranges: [Range<Int64>] = []
    var end: Int64 = 0
    while unsafe archive_entry_sparse_next(pointer, &offset, &count) == ARCHIVE_OK {
      guard offset >= end, count >= 0, offset <= byteCount, count <= byteCount - offset else {
        throw Self.damage(path, "data ranges out of order, or behind its end")
      }
      end = offset + count
      if count > 0 { ranges.append(offset..<end) }
    }
    return ranges
  }
}
