internal import Todana

/// Decodes the entries of a page, and validates each of them.
///
/// ``TreePageEncoder`` describes the format.
struct TreePageDecoder: ~Copyable {
  private var buffer: DataBuffer
  private var owners: [FileOwner] = []
  private var lastName: [UInt8]
  /// The row of the page.
  ///
  /// Entries may only refer to pages in lower rows, so that no directory contains itself.
  private let pageRow: UInt64

  /// Starts the decoding of a page.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the page.
  ///   - pageRow: The row of the page.
  ///   - lastName: The last name of the previous page, which all names of this page must follow.
  /// - Throws: ``ArchiveError/Code/newerFormat``, ``ArchiveError/Code/damaged``.
  init(_ bytes: [UInt8], pageRow: UInt64, after lastName: [UInt8]) throws(ArchiveError) {
    buffer = DataBuffer(reading: bytes)
    self.pageRow = pageRow
    self.lastName = lastName
    let format = try buffer.archived { buffer throws(DataBufferError) in try buffer.readUInt8() }
    guard format == TreePageEncoder.format else {
      throw ArchiveError(.newerFormat, "A directory is written in format \(format), which this program does not know.")
    }
  }

  /// Returns the next entry; nil at the end.
  mutating func next() throws(ArchiveError) -> ArchiveEntry? {
    if buffer.isAtEnd { return nil }
    do throws(DataBufferError) {
      return try check(try read())
    } catch {
      throw ArchiveError(.damaged, "A directory cannot be read.", underlying: error)
    }
  }

  private mutating func read() throws(DataBufferError) -> ArchiveEntry {
    let number = try buffer.readUInt8()
    let name = try buffer.readBytes()
    let permissions = UInt16(clamping: try buffer.readVarUInt())
    let owner = try readOwner()
    let modificationTime = try readTime()
    let changeTime = try readTime()
    let identity = FileIdentity(device: try buffer.readVarUInt(), inode: try buffer.readVarUInt())
    let linkCount = try buffer.readVarUInt()
    var entry = ArchiveEntry(
      file: FileEntry(
        name: name, kind: .fifo, permissions: permissions, owner: owner, modificationTime: modificationTime,
        changeTime: changeTime, identity: identity, linkCount: linkCount, byteCount: 0),
      content: .none)
    switch number & ~TreePageEncoder.flagsBit {
    case 0:
      entry.file.kind = .regular
      try readContent(of: &entry)
    case 1:
      entry.file.kind = .directory
      entry.content = .pages(try readRows())
    case 2: entry.file.kind = .symbolicLink(target: try buffer.readBytes())
    case 3: break
    case 4: entry.file.kind = .characterDevice(major: try readNumber(), minor: try readNumber())
    case 5: entry.file.kind = .blockDevice(major: try readNumber(), minor: try readNumber())
    default: throw DataBufferError(.invalidValue, "An entry has the unknown kind \(number).")
    }
    let count = try buffer.readCount(minimumElementByteCount: 2)
    for _ in 0..<count {
      entry.file.attributes.append(ExtendedAttribute(name: try buffer.readBytes(), value: try buffer.readBytes()))
    }
    if number & TreePageEncoder.flagsBit != 0 { entry.file.flags = FileFlags(rawValue: try readNumber()) }
    return entry
  }

  private mutating func readContent(of entry: inout ArchiveEntry) throws(DataBufferError) {
    entry.file.byteCount = Int64(clamping: try buffer.readVarUInt())
    var end: Int64 = 0
    for _ in 0..<(try buffer.readCount(minimumElementByteCount: 2)) {
      let (start, startOverflows) = end.addingReportingOverflow(Int64(clamping: try buffer.readVarUInt()))
      let (next, endOverflows) = start.addingReportingOverflow(Int64(clamping: try buffer.readVarUInt()))
      guard !startOverflows, !endOverflows, next <= entry.file.byteCount else {
        throw DataBufferError(.invalidValue, "A file has data beyond its end.")
      }
      entry.extents.append(start..<next)
      end = next
    }
    switch try buffer.readVarUInt() {
    case 0: entry.content = .none
    case 1: entry.content = .small(try buffer.readVarUInt())
    case 2: entry.content = .chunks(try readRows())
    default: throw DataBufferError(.invalidValue, "A file has content of an unknown kind.")
    }
  }

  private mutating func readRows() throws(DataBufferError) -> [UInt64] {
    var rows: [UInt64] = []
    var last: UInt64 = 0
    for _ in 0..<(try buffer.readCount()) {
      last = last &+ UInt64(bitPattern: try buffer.readVarInt())
      rows.append(last)
    }
    return rows
  }

  private mutating func readOwner() throws(DataBufferError) -> FileOwner {
    let number = try buffer.readVarUInt()
    if number > 0 {
      guard number <= UInt64(owners.count) else { throw DataBufferError(.invalidValue, "An owner is missing.") }
      return owners[Int(number) - 1]
    }
    let userID: UInt32 = try readNumber()
    let userName = try buffer.readVarUInt() == 0 ? nil : try buffer.readBytes()
    let groupID: UInt32 = try readNumber()
    let groupName = try buffer.readVarUInt() == 0 ? nil : try buffer.readBytes()
    let owner = FileOwner(userID: userID, groupID: groupID, userName: userName, groupName: groupName)
    owners.append(owner)
    return owner
  }

  private mutating func readTime() throws(DataBufferError) -> FileTime {
    let seconds = try buffer.readVarInt()
    let nanoseconds: UInt32 = try readNumber()
    guard nanoseconds < 1_000_000_000 else {
      throw DataBufferError(.invalidValue, "A time has \(nanoseconds) nanoseconds.")
    }
    return FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }

  private mutating func readNumber() throws(DataBufferError) -> UInt32 {
    guard let number = UInt32(exactly: try buffer.readVarUInt()) else {
      throw DataBufferError(.invalidValue, "A number has more than 32 bits.")
    }
    return number
  }

  /// Validates an entry, which an attacker may have written.
  private mutating func check(_ entry: ArchiveEntry) throws(DataBufferError) -> ArchiveEntry {
    let file = entry.file
    guard FileName.isStep(file.name) else {
      throw DataBufferError(.invalidValue, "“\(printable(file.name))” is not the name of a file in a directory.")
    }
    guard lastName.isEmpty || lastName.lexicographicallyPrecedes(file.name) else {
      throw DataBufferError(.invalidValue, "“\(printable(file.name))” occurs twice in a directory, or out of order.")
    }
    lastName = file.name
    guard file.permissions <= 0o7777 else {
      throw DataBufferError(.invalidValue, "“\(printable(file.name))” has invalid permissions.")
    }
    guard FileFlags.kept.isSuperset(of: file.flags) else {
      throw DataBufferError(.invalidValue, "“\(printable(file.name))” has flags that an archive does not store.")
    }
    if case .pages(let rows) = entry.content {
      guard rows.allSatisfy({ $0 > 0 && $0 < pageRow }) else {
        throw DataBufferError(.invalidValue, "The directory “\(printable(file.name))” contains itself.")
      }
    }
    return entry
  }

  /// The last name that was read.
  var endName: [UInt8] { lastName }
}

extension DataBuffer {
  mutating func archived<Value>(
    _ read: (inout DataBuffer) throws(DataBufferError) -> Value
  ) throws(ArchiveError) -> Value {
    do throws(DataBufferError) {
      return try read(&self)
    } catch {
      throw ArchiveError(.damaged, "Data of the archive cannot be read.", underlying: error)
    }
  }
}
