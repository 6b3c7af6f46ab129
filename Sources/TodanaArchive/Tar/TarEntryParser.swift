internal import CLibArchive
internal import Glibc

/// Makes an entry of what libarchive read, and of the records that it read from.
@safe
struct TarEntryParser {
  let pointer: OpaquePointer
  let records: PaxRecords
  let owners: OwnerNames
  /// What libarchive said.
  let warning: String?

  /// For use before the archive is read further.
  init(_ pointer: OpaquePointer, _ records: PaxRecords, _ owners: OwnerNames, warning: String?) {
    unsafe self.pointer = pointer
    self.records = records
    self.owners = owners
    self.warning = warning
  }

  static func damage(_ path: [UInt8], _ what: String) -> ArchiveError {
    ArchiveError(.tar, "The tar is damaged: “\(printable(path))” has \(what).")
  }

  /// - Throws: ``ArchiveError/Code/tar`` for sizes and data ranges that cannot be.
  func entry() throws(ArchiveError) -> TarEntry {
    var path = unsafe records["GNU.sparse.name"] ?? records["path"] ?? Self.bytes(archive_entry_pathname(pointer))
    var kind = kind
    let hardLinkTarget = hardLinkTarget
    // Tars from before there were directories in them.
    if path.last == UInt8(ascii: "/"), kind == .regular, hardLinkTarget == nil { kind = .directory }
    if kind == .directory {
      while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    }
    let (attributes, permissions, attributeWarning) = attributes
    let byteCount = kind == .regular ? unsafe archive_entry_size(pointer) : 0
    guard byteCount >= 0 else { throw Self.damage(path, "less than no bytes") }
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
    // Of another name for a file, tar does not say what that is.
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
