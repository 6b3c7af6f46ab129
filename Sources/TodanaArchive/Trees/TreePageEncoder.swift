internal import Todana

/// Encodes entries of a directory as the bytes of a page.
///
/// Format: the number of the format, 1; then the entries. Each entry has: kind; name; permissions; owner; two times,
/// each as seconds (signed) and nanoseconds; device and inode; link count; fields of its kind; the number of
/// attributes, each with name and value. All numbers are varints, and all bytes follow their length.
///
/// The owners of a page are numbered from 1 in the order in which they appear. An owner that has appeared is stored as
/// its number. A new one is stored as 0, followed by user id and group id, each with a name or none (a count of 0 or
/// 1).
///
/// The kinds and their fields:
///
/// - 0, a file: length; number of extents, each as the length of the hole before it and its own; then 0 for no content,
///   1 and the row of a small file, or 2, the number of chunks and their rows.
/// - 1, a directory: number of pages and their rows.
/// - 2, a symbolic link: its target.
/// - 3, a FIFO.
/// - 4 and 5, a character device and a block device: major and minor number.
///
/// 64 is added to the kind if the file has flags, which are then the last number of the entry.
///
/// A row is stored as the difference to the previous one.
struct TreePageEncoder: ~Copyable {
  static let format: UInt8 = 1
  /// The bit that is added to the kind of an entry with flags.
  static let flagsBit: UInt8 = 64

  private var buffer: DataBuffer
  private var owners: [FileOwner: UInt64] = [:]
  /// The owner of the previous entry, which the next one usually has, too.
  private var lastOwner: (owner: FileOwner, number: UInt64)?
  private(set) var count = 0

  init() {
    buffer = DataBuffer(capacity: 4096)
    buffer.writeUInt8(Self.format)
  }

  /// The number of bytes so far.
  var byteCount: Int { buffer.count }

  mutating func append(_ entry: ArchiveEntry) throws(ArchiveError) {
    let file = entry.file
    count += 1
    buffer.writeUInt8(try Self.number(of: file.kind) | (file.flags.isEmpty ? 0 : Self.flagsBit))
    buffer.writeBytes(file.name)
    buffer.writeVarUInt(UInt64(file.permissions))
    write(file.owner)
    write(file.modificationTime)
    write(file.changeTime)
    buffer.writeVarUInt(file.identity.device)
    buffer.writeVarUInt(file.identity.inode)
    buffer.writeVarUInt(file.linkCount)
    switch file.kind {
    case .regular: writeContent(of: entry)
    case .directory:
      guard case .pages(let pages) = entry.content else { throw Self.impossible }
      write(rows: pages)
    case .symbolicLink(let target): buffer.writeBytes(target)
    case .characterDevice(let major, let minor), .blockDevice(let major, let minor):
      buffer.writeVarUInt(UInt64(major))
      buffer.writeVarUInt(UInt64(minor))
    case .fifo, .socket: break
    }
    buffer.writeVarUInt(UInt64(file.attributes.count))
    for attribute in file.attributes {
      buffer.writeBytes(attribute.name)
      buffer.writeBytes(attribute.value)
    }
    if !file.flags.isEmpty { buffer.writeVarUInt(UInt64(file.flags.rawValue)) }
  }

  /// Returns the bytes of the page, and begins a new one.
  mutating func finish() throws(ArchiveError) -> [UInt8] {
    if let error = buffer.firstError {
      throw ArchiveError(.invalidArgument, "A directory cannot be written.", underlying: error)
    }
    let bytes = buffer.bytes
    buffer.removeAll()
    buffer.writeUInt8(Self.format)
    owners.removeAll(keepingCapacity: true)
    lastOwner = nil
    count = 0
    return bytes
  }

  private mutating func writeContent(of entry: ArchiveEntry) {
    buffer.writeVarUInt(UInt64(entry.file.byteCount))
    buffer.writeVarUInt(UInt64(entry.extents.count))
    var end: Int64 = 0
    for extent in entry.extents {
      buffer.writeVarUInt(UInt64(extent.lowerBound - end))
      buffer.writeVarUInt(UInt64(extent.count))
      end = extent.upperBound
    }
    switch entry.content {
    case .none, .pages: buffer.writeVarUInt(0)
    case .small(let row):
      buffer.writeVarUInt(1)
      buffer.writeVarUInt(row)
    case .chunks(let rows):
      buffer.writeVarUInt(2)
      write(rows: rows)
    }
  }

  private mutating func write(rows: [UInt64]) {
    buffer.writeVarUInt(UInt64(rows.count))
    var last: UInt64 = 0
    for row in rows {
      buffer.writeVarInt(Int64(bitPattern: row &- last))
      last = row
    }
  }

  private mutating func write(_ owner: FileOwner) {
    if let lastOwner, lastOwner.owner == owner { return buffer.writeVarUInt(lastOwner.number) }
    let known = owners[owner]
    let number = known ?? UInt64(owners.count) + 1
    lastOwner = (owner, number)
    if let known { return buffer.writeVarUInt(known) }
    owners[owner] = number
    buffer.writeVarUInt(0)
    for (number, name) in [(owner.userID, owner.userName), (owner.groupID, owner.groupName)] {
      buffer.writeVarUInt(UInt64(number))
      buffer.writeVarUInt(name == nil ? 0 : 1)
      if let name { buffer.writeBytes(name) }
    }
  }

  private mutating func write(_ time: FileTime) {
    buffer.writeVarInt(time.seconds)
    buffer.writeVarUInt(UInt64(time.nanoseconds))
  }

  private static func number(of kind: FileKind) throws(ArchiveError) -> UInt8 {
    switch kind {
    case .regular: 0
    case .directory: 1
    case .symbolicLink: 2
    case .fifo: 3
    case .characterDevice: 4
    case .blockDevice: 5
    case .socket: throw ArchiveError(.invalidArgument, "A socket cannot be archived.")
    }
  }

  private static var impossible: ArchiveError {
    ArchiveError(.invalidArgument, "A directory without pages cannot be written.")
  }
}
