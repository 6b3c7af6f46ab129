internal import CFileSystem
internal import Glibc

/// A reader of a file's metadata through a descriptor, which need not be open for reading data.
struct EntryReader {
  /// The maximum total length of the attribute names and values of one file, in bytes; few files have more than a
  /// thousand.
  static let attributeLimit = 16 << 20

  let file: CInt
  let path: EntryPath
  let owners: OwnerNames

  func entry(named name: [UInt8], _ onWarning: (FileError) -> Void) throws(FileError) -> FileEntry {
    var status = tdf_status()
    let result = unsafe tdf_get_status(file, &status)
    guard result == 0 else { throw error(.readStatus, result) }
    let kind = try kind(status)
    return Self.entry(named: name, status, kind, owners, attributes(onWarning), flags(of: kind, onWarning))
  }

  static func entry(
    named name: [UInt8], _ status: tdf_status, _ kind: FileKind, _ owners: OwnerNames,
    _ attributes: [ExtendedAttribute], _ flags: FileFlags
  ) -> FileEntry {
    FileEntry(
      name: name, kind: kind, permissions: UInt16(status.mode & 0o7777),
      owner: owners.owner(userID: status.user_id, groupID: status.group_id), modificationTime: .modification(status),
      changeTime: FileTime(seconds: status.changed_seconds, nanoseconds: status.changed_nanoseconds),
      identity: FileIdentity(status), linkCount: status.link_count, byteCount: status.byte_count,
      attributes: attributes, flags: flags)
  }

  private func error(_ operation: FileError.Operation, _ result: some SignedInteger) -> FileError {
    FileError(operation, path.bytes, errorNumber: CInt(-Int64(result)))
  }

  private func kind(_ status: tdf_status) throws(FileError) -> FileKind {
    switch status.mode & S_IFMT {
    case S_IFREG: return .regular
    case S_IFDIR: return .directory
    case S_IFLNK: return .symbolicLink(target: try linkTarget())
    case S_IFIFO: return .fifo
    case S_IFCHR: return .characterDevice(major: status.special_major, minor: status.special_minor)
    case S_IFBLK: return .blockDevice(major: status.special_major, minor: status.special_minor)
    case S_IFSOCK: return .socket
    default: throw FileError(.readStatus, path.bytes, .notSupported, detail: "a kind that is not known")
    }
  }

  private func linkTarget() throws(FileError) -> [UInt8] {
    // The kernel does not allow longer targets.
    let (result, target) = unsafe Self.read(capacity: Int(TDF_PATH_SIZE_MAX) + 1) {
      unsafe tdf_read_link(file, $0.baseAddress, $0.count)
    }
    guard result >= 0 else { throw error(.readLink, result) }
    return target
  }

  // MARK: Flags

  /// Returns the flags of a regular file or a directory.
  ///
  /// Other kinds have none: reading their flags would open the FIFO or device.
  func flags(of kind: FileKind, _ onWarning: (FileError) -> Void) -> FileFlags {
    guard kind == .regular || kind == .directory else { return [] }
    var flags: UInt32 = 0
    let result = unsafe tdf_get_flags(file, &flags)
    switch result {
    case 0: return FileFlags(rawValue: flags).intersection(.kept)
    // If the file may not be opened, reading its content reports that. If it is under a lease (EAGAIN), its flags are
    // read after opening it.
    case -EOPNOTSUPP, -EACCES, -EPERM, -EAGAIN: return []
    default:
      onWarning(error(.readFlags, result))
      return []
    }
  }

  // MARK: Attributes

  func attributes(_ onWarning: (FileError) -> Void) -> [ExtendedAttribute] {
    let (names, errorNumber) = attributeNames()
    if errorNumber != 0 { onWarning(error(.readAttributes, -errorNumber)) }
    var attributes: [ExtendedAttribute] = []
    var room = Self.attributeLimit
    for name in names {
      let (result, value) = unsafe Self.readGrowing { buffer in
        unsafe name.withUnsafeBufferPointer { name in
          unsafe tdf_get_attribute(file, name.baseAddress, name.count, buffer.baseAddress, buffer.count)
        }
      }
      // The attribute was removed after the names were listed.
      if result == -Int64(ENODATA) { continue }
      room -= name.count + value.count
      guard result >= 0, room >= 0 else {
        let number = result < 0 ? CInt(-result) : E2BIG
        onWarning(FileError(.readAttributes, path.bytes, errorNumber: number, detail: printable(name)))
        if room < 0 { break }
        continue
      }
      attributes.append(ExtendedAttribute(name: name, value: value))
    }
    return attributes
  }

  /// Returns the attribute names, or an error number; no names if the file system does not support attributes.
  func attributeNames() -> (names: [[UInt8]], errorNumber: CInt) {
    let (result, bytes) = unsafe Self.readGrowing { unsafe tdf_list_attributes(file, $0.baseAddress, $0.count) }
    if result == -Int64(EOPNOTSUPP) { return ([], 0) }
    guard result >= 0 else { return ([], CInt(-result)) }
    return (bytes.split(separator: 0).map(Array.init), 0)
  }

  /// Calls `fill` with a small buffer, then with 64 KiB if that is too small.
  ///
  /// Most lists and values are short; the kernel allows no more than 64 KiB.
  private static func readGrowing(
    _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Int64
  ) -> (result: Int64, bytes: [UInt8]) {
    let short = unsafe read(capacity: 512, fill)
    return short.result == -Int64(ERANGE) ? unsafe read(capacity: 64 << 10, fill) : short
  }

  private static func read(
    capacity: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Int64
  ) -> (result: Int64, bytes: [UInt8]) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
      let result = unsafe fill(buffer)
      guard result > 0 else { return (result, []) }
      return unsafe (result, Array(buffer.prefix(Int(result))))
    }
  }
}

extension FileEntry {
  /// Tests whether a file has this entry's kind; always false for devices, whose numbers would have to be compared.
  func hasKind(of status: tdf_status) -> Bool {
    switch kind {
    case .regular: status.mode & S_IFMT == S_IFREG
    case .directory: status.mode & S_IFMT == S_IFDIR
    case .symbolicLink: status.mode & S_IFMT == S_IFLNK
    case .fifo: status.mode & S_IFMT == S_IFIFO
    case .socket: status.mode & S_IFMT == S_IFSOCK
    case .characterDevice, .blockDevice: false
    }
  }
}
