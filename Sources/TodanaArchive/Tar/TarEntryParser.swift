internal import CLibArchive
internal import Glibc

/// Creates an entry from libarchive's object, and from the records that libarchive has read.
@safe
struct TarEntryParser {
  let pointer: OpaquePointer
  let records: PaxRecords
  let owners: OwnerNames
  /// The warning of libarchive.
  let warning: String?

  /// Creates a parser, to be used before the archive is read further.
  init(_ pointer: OpaquePointer, _ records: PaxRecords, _ owners: OwnerNames, warning: String?) {
    unsafe self.pointer = pointer
    self.records = records
    self.owners = owners
    self.warning = warning
  }

  static func damage(_ path: [UInt8], _ what: String) -> ArchiveError {
    ArchiveError(.tar, "The tar is damaged: “\(printable(path))” has \(what).")
  }

  /// Returns the entry.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` for impossible sizes and data ranges.
  func entry() throws(ArchiveError) -> TarEntry {
    var path = unsafe records["GNU.sparse.name"] ?? records["path"] ?? Self.bytes(archive_entry_pathname(pointer))
    var kind = kind
    let hardLinkTarget = hardLinkTarget
    // In tars older than the directory type, a slash at the end of the path marks a directory.
    if path.last == UInt8(ascii: "/"), kind == .regular, hardLinkTarget == nil { kind = .directory }
    if kind == .directory {
      while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    }
    let (attributes, permissions, attributeWarning) = attributes
    let byteCount = kind == .regular ? unsafe archive_entry_size(pointer) : 0
    guard byteCount >= 0 else { throw Self.damage(path, "a negative length") }
    let entry = FileEntry(
      name: SourceStart.split(path).last, kind: kind,
      permissions: UInt16(unsafe archive_entry_perm(pointer) & 0o7000) | permissions, owner: owner,
      modificationTime: time("mtime")
        ?? FileTime(
          seconds: Int64(unsafe archive_entry_mtime(pointer)),
          nanoseconds: UInt32(clamping: unsafe archive_entry_mtime_nsec(pointer))),
      changeTime: time("ctime") ?? FileTime(seconds: 0), identity: FileIdentity(device: 0, inode: 0), linkCount: 1,
      byteCount: byteCount, attributes: attributes, flags: flags(of: kind))
    return TarEntry(
      path: path, entry: entry, hardLinkTarget: hardLinkTarget, dataRanges: try dataRanges(path, byteCount),
      warning: [nameWarning, ownerWarning, attributeWarning].compactMap { $0 }.first)
  }

  private func flags(of kind: FileKind) -> FileFlags {
    guard kind == .regular || kind == .directory else { return [] }
    return records[FileFlags.tarKey].map { FileFlags(tarText: $0) } ?? []
  }

  private func time(_ key: String) -> FileTime? { records[key].flatMap(PaxTime.time) }

  private var kind: FileKind {
    func number(_ device: dev_t) -> UInt32 { UInt32(clamping: device) }
    return switch unsafe archive_entry_filetype(pointer) {
    case S_IFDIR: .directory
    case S_IFLNK: unsafe .symbolicLink(target: records["linkpath"] ?? Self.bytes(archive_entry_symlink(pointer)))
    case S_IFIFO: .fifo
    case S_IFCHR:
      unsafe .characterDevice(
        major: number(archive_entry_rdevmajor(pointer)), minor: number(archive_entry_rdevminor(pointer)))
    case S_IFBLK:
      unsafe .blockDevice(
        major: number(archive_entry_rdevmajor(pointer)), minor: number(archive_entry_rdevminor(pointer)))
    case S_IFSOCK: .socket
    // A tar does not give the kind of a hard link.
    default: .regular
    }
  }

  private var hardLinkTarget: [UInt8]? {
    guard unsafe archive_entry_hardlink(pointer) != nil else { return nil }
    return unsafe records["linkpath"] ?? Self.bytes(archive_entry_hardlink(pointer))
  }

  static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
    guard let text = unsafe text else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}

extension TarEntryParser {
  /// The id that replaces an owner number that no system can have; 0 would be root.
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
    return numbers.allSatisfy { UInt32(exactly: $0) != nil } ? nil : "The number of the owner is invalid."
  }

  /// The warning of libarchive, except about a name that it cannot convert: the records have its original bytes.
  var nameWarning: String? {
    warning.flatMap { $0.contains("can't be converted") && !records.records.isEmpty ? nil : $0 }
  }

  /// The attributes and the nine permission bits, which an access control list overrides.
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
        throw Self.damage(path, "data ranges out of order, or beyond its end")
      }
      end = offset + count
      if count > 0 { ranges.append(offset..<end) }
    }
    return ranges
  }
}

/// The extended attributes of an entry: those of its records, and those that libarchive found elsewhere.
struct TarAttributes {
  var list: [ExtendedAttribute] = []
  private var positions: [[UInt8]: Int] = [:]
  /// The undecoded names of the records' attributes, as libarchive returns them.
  private var knownNames: Set<[UInt8]> = []

  init(_ records: PaxRecords) {
    for record in records.records {
      guard let name = PaxAttributes.name(of: record.key) else { continue }
      knownNames.insert(Array(record.key.dropFirst(PaxAttributes.prefix.count)))
      set(name, record.value)
    }
  }

  /// Adds an attribute that libarchive returns, unless it comes from a record, or is present under another key.
  ///
  /// libarchive writes each attribute twice, as `SCHILY.xattr` and as `LIBARCHIVE.xattr`.
  mutating func add(_ name: [UInt8], _ value: [UInt8]) {
    guard !name.isEmpty, !knownNames.contains(name), positions[name] == nil else { return }
    set(name, value)
  }

  private mutating func set(_ name: [UInt8], _ value: [UInt8]) {
    if let position = positions[name] {
      list[position].value = value
    } else {
      positions[name] = list.count
      list.append(ExtendedAttribute(name: name, value: value))
    }
  }
}

/// The access control lists of an entry's records.
struct TarAccessLists {
  private(set) var attributes: [ExtendedAttribute] = []
  /// The nine permission bits that follow from the access control list of the file.
  private(set) var permissions: UInt16?
  private(set) var warning: String?

  init(_ records: PaxRecords, _ owners: OwnerNames) {
    for (key, name) in AccessControlList.attributeNames.sorted(by: { $0.key < $1.key }) {
      guard let text = records[key] else { continue }
      guard let list = AccessControlList(text: text, owners: owners) else {
        warning = "An access control list is invalid: \(printable(Array(text.prefix(200))))."
        continue
      }
      if key == "SCHILY.acl.access" {
        permissions = list.permissions
        // GNU tar writes a list also for files without one; Linux stores no list that only repeats the permissions.
        if list.isOnlyPermissions { continue }
      }
      attributes.append(ExtendedAttribute(name: Array(name.utf8), value: list.attribute))
    }
  }
}
