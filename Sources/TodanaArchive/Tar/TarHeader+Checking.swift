extension TarHeader {
  /// Throws for what cannot be in a tar.
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
    if strings.contains(where: { $0.isEmpty || $0.contains(0) }) { throw refuse("a name is empty, or has NUL in it") }
    if [entry.owner.userName, entry.owner.groupName].contains(where: { $0?.contains(0) == true }) {
      throw refuse("an owner's name has NUL in it")
    }
    guard entry.permissions <= 0o7777 else { throw refuse("it has permissions that there are not") }
    for time in [entry.modificationTime, entry.changeTime] where time.nanoseconds >= 1_000_000_000 {
      throw refuse("it has \(time.nanoseconds) nanoseconds in a second")
    }
    if item.hasData, entry.byteCount < 0 { throw refuse("it has less than no bytes") }
  }

  /// Nil for a file without holes, and for what has no data.
  static func map(_ item: TarEntry) throws(ArchiveError) -> SparseMap? {
    guard item.hasData, let ranges = item.dataRanges else { return nil }
    guard let map = SparseMap(ranges, byteCount: item.entry.byteCount) else {
      throw ArchiveError(.tar, "“\(printable(item.path))” has data ranges out of order, or behind its end.")
    }
    return map.isWhole ? nil : map
  }
}
