/// The header of an entry to be written: libarchive's header with additional records.
///
/// libarchive writes blocks, long names and numbers. Its records for other properties have faults, so they are written
/// here:
///
/// - Other programs read fractional times before 1970 as one second too early (``PaxTime``).
/// - GNU tar does not find attributes whose names libarchive has encoded.
/// - Access control lists change the permissions.
/// - Records of sparse files truncate long names, and have a wrong size above 8 GiB.
struct TarHeader {
  let entry: FileEntry
  /// The path that libarchive receives.
  let path: [UInt8]
  let hardLinkTarget: [UInt8]?
  /// The data ranges of a file with holes; nil for other entries.
  let map: SparseMap?
  private(set) var records = PaxRecords()

  /// Creates the header of an entry.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` for entries that a tar cannot hold, or that readers refuse.
  init(_ item: TarEntry) throws(ArchiveError) {
    try Self.check(item)
    entry = item.entry
    hardLinkTarget = item.hardLinkTarget
    map = try Self.map(item)
    path = map == nil ? item.path : SparseMap.placeholder(for: item.path)
    for (key, value) in map?.records(for: item.path) ?? [] { records.append(key, value) }
    records.append("mtime", PaxTime.text(of: entry.modificationTime))
    if entry.changeTime != FileTime(seconds: 0) { records.append("ctime", PaxTime.text(of: entry.changeTime)) }
    for attribute in entry.attributes { append(attribute) }
    if let text = entry.flags.tarText { records.append(FileFlags.tarKey, text) }
    // Check the size before libarchive receives the entry, so that other entries can follow. Include the maximum that
    // libarchive may add.
    let owner = entry.owner
    let names = [item.path, hardLinkTarget ?? linkTarget, owner.userName ?? [], owner.groupName ?? []]
    guard records.bytes.count + names.reduce(1024, { $0 + $1.count }) <= PaxRecords.byteCountLimit else {
      throw ArchiveError(
        .tar,
        "“\(printable(path))” has too many or too long attributes and names: a tar can have at most 1 MiB.")
    }
  }

  private var linkTarget: [UInt8] {
    if case .symbolicLink(let target) = entry.kind { return target }
    return []
  }

  var storedByteCount: Int64 {
    guard entry.kind == .regular, hardLinkTarget == nil else { return 0 }
    guard let map else { return entry.byteCount }
    return Int64(map.header.count) + map.storedByteCount
  }

  private mutating func append(_ attribute: ExtendedAttribute) {
    for (key, name) in AccessControlList.attributeNames where attribute.name.elementsEqual(name.utf8) {
      // An unknown form of list is written like any other attribute.
      guard let list = AccessControlList(attribute: attribute.value) else { break }
      return records.append(key, list.text)
    }
    records.records.append(.init(key: PaxAttributes.key(of: attribute.name), value: attribute.value))
  }

  /// Adds the records to the header that libarchive has made.
  ///
  /// - Parameter bytes: An extended header, followed by the header itself.
  /// - Returns: The completed headers.
  /// - Throws: ``ArchiveError/Code/tar`` for any other bytes.
  func bytes(completing bytes: [UInt8]) throws(ArchiveError) -> [UInt8] {
    guard bytes.count >= 3 * TarBlock.byteCount else { throw ArchiveError(.tar, "libarchive made no header.") }
    var first = TarBlock(Array(bytes[..<TarBlock.byteCount]))
    guard first.kind == UInt8(ascii: "x"), let count = first.dataByteCount,
      bytes.count == TarBlock.padded(count) + 2 * TarBlock.byteCount
    else { throw ArchiveError(.tar, "libarchive made no extended header.") }
    var all = PaxRecords(Array(bytes[TarBlock.byteCount..<(TarBlock.byteCount + count)]))
    // Keep this record only if a name is not ASCII. GNU tar does not know it, warns about each entry that has it, and
    // treats names as bytes anyway. Without the record, libarchive would read names as UTF-8 and normalize them, for
    // example combine "e" and an accent.
    all["hdrcharset"] = nil
    all.records += records.records
    let names = ["path", "linkpath", "uname", "gname", "GNU.sparse.name"].compactMap { all[$0] }
    if names.contains(where: { $0.contains { $0 >= 0x80 } }) {
      all.records.insert(.init(key: Array("hdrcharset".utf8), value: Array("BINARY".utf8)), at: 0)
    }
    var body = all.bytes
    first.dataByteCount = body.count
    body += [UInt8](repeating: 0, count: TarBlock.padded(body.count) - body.count)
    return first.bytes + body + bytes.suffix(TarBlock.byteCount)
  }
}

extension TarHeader {
  /// Throws for entries that a tar cannot hold.
  static func check(_ item: TarEntry) throws(ArchiveError) {
    let entry = item.entry
    func refuse(_ reason: String) -> ArchiveError {
      ArchiveError(.tar, "“\(printable(item.path))” cannot be in a tar: \(reason).")
    }
    guard !item.path.isEmpty, item.path.first != UInt8(ascii: "/") else { throw refuse("its path is not relative") }
    if entry.kind == .socket { throw refuse("it is a socket") }
    var strings = [item.path] + entry.attributes.map(\.name)
    if let target = item.hardLinkTarget { strings.append(target) }
    if case .symbolicLink(let target) = entry.kind { strings.append(target) }
    if strings.contains(where: { $0.isEmpty || $0.contains(0) }) { throw refuse("a name is empty, or contains a NUL") }
    if [entry.owner.userName, entry.owner.groupName].contains(where: { $0?.contains(0) == true }) {
      throw refuse("an owner's name contains a NUL")
    }
    guard entry.permissions <= 0o7777 else { throw refuse("its permissions are invalid") }
    for time in [entry.modificationTime, entry.changeTime] where time.nanoseconds >= 1_000_000_000 {
      throw refuse("its time has \(time.nanoseconds) nanoseconds")
    }
    if item.hasData, entry.byteCount < 0 { throw refuse("its length is negative") }
  }

  /// Returns the map of a sparse file; nil for a file without holes, and for entries without data.
  static func map(_ item: TarEntry) throws(ArchiveError) -> SparseMap? {
    guard item.hasData, let ranges = item.dataRanges else { return nil }
    guard let map = SparseMap(ranges, byteCount: item.entry.byteCount) else {
      throw ArchiveError(.tar, "“\(printable(item.path))” has data ranges out of order, or beyond its end.")
    }
    return map.isWhole ? nil : map
  }
}
