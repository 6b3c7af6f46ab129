/// The reading stage of a tar import: submits entries in the order of the stream.
///
/// Only for the reading thread.
final class TarImport {
  private let builder: BatchBuilder
  private let options: AddOptions
  private let progress: SharedProgress
  /// The directory in the snapshot that receives the content of the tar.
  private let top: TarPath
  private var filter: PathFilter

  init(_ builder: BatchBuilder, _ options: AddOptions, _ progress: SharedProgress, top: TarPath) {
    self.builder = builder
    self.options = options
    self.progress = progress
    self.top = top
    filter = PathFilter(options.filter)
  }

  /// Reads the whole stream; entries that cannot be in a snapshot are left out and reported.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` if the stream is not a tar, or is truncated.
  func run(_ reader: TarReader) throws {
    while let item = try reader.next() {
      do {
        try take(item, reader)
      } catch let refusal as TarPath.Refusal {
        progress.addFailure("“\(printable(item.path))” was left out: \(refusal.reason)")
      }
    }
    if reader.hasTrailingBytes {
      progress.addFailure("Other data follow the end of the tar: they were left out")
    }
    guard reader.hasEnd else {
      throw ArchiveError(.tar, "The tar has no end mark: it is empty or truncated. No snapshot was made.")
    }
  }

  private func take(_ item: TarEntry, _ reader: TarReader) throws {
    if item.isContinued { throw TarPath.Refusal(reason: "it is continued from another volume") }
    let path = try TarPath(item.path)
    progress.change { $0.path = item.path }
    guard !path.steps.isEmpty || item.entry.kind == .directory else { throw TarPath.Refusal(reason: "it has no name") }
    if let reason = exclusion(of: path, item) { return exclude(path, reason) }
    let target = try item.hardLinkTarget.map { target throws(TarPath.Refusal) in try linkTarget(target) }
    let entry = try target == nil ? checked(item) : item.entry
    progress.change { $0.readPaths += 1 }
    if entry.kind == .socket { return progress.change { $0.skippedSockets += 1 } }
    if let warning = item.warning { progress.addFailure("“\(printable(item.path))”: \(warning)") }
    let place = path.bytes(below: top)
    if place.isEmpty { return try builder.append(.top(entry)) }
    if let target {
      let step = TreeStep.link(path: place, target: target.bytes(below: top), time: entry.modificationTime)
      return try builder.append(step)
    }
    let source = try entry.kind == .regular && !options.isDryRun ? content(of: entry, reader) : .none
    note(entry)
    try builder.append(.place(path: place, entry, source))
  }

  private func linkTarget(_ path: [UInt8]) throws(TarPath.Refusal) -> TarPath {
    do throws(TarPath.Refusal) {
      return try TarPath(path)
    } catch {
      throw TarPath.Refusal(reason: "it is a hard link to “\(printable(path))”, which cannot be in a snapshot")
    }
  }

  // MARK: Content

  private func content(of entry: FileEntry, _ reader: TarReader) throws -> TreeStep.DataSource {
    var data = TarData(reader)
    if entry.byteCount < BatchBuilder.smallFileLimit {
      // Holes are only known after all data was read.
      let bytes = try data.readAll()
      progress.change { $0.bytesRead += Int64(bytes.count) }
      let extents = data.extents(byteCount: entry.byteCount)
      guard extents.isEmpty else { return .chunks(try chunks(bytes), extents: extents) }
      let small = try unsafe builder.smallFile { memory in
        unsafe memory.copyBytes(from: bytes)
        return bytes.count
      }
      return small?.source ?? .none
    }
    let chunkCount = try unsafe builder.chunks { buffer in
      let count = try unsafe data.read(into: buffer)
      progress.change { $0.bytesRead += Int64(count) }
      return count
    }.chunkCount
    return .chunks(chunkCount, extents: data.extents(byteCount: entry.byteCount))
  }

  private func chunks(_ bytes: [UInt8]) throws -> Int {
    var rest = bytes[...]
    return try unsafe builder.chunks { buffer in
      let part = rest.prefix(buffer.count)
      unsafe buffer.copyBytes(from: part)
      rest = rest.dropFirst(part.count)
      return part.count
    }.chunkCount
  }

  // MARK: Choosing and checking

  private func exclusion(of path: TarPath, _ item: TarEntry) -> FileDecision.Reason? {
    filter.exclusion(
      of: path, isDirectory: item.entry.kind == .directory, size: item.hasData ? Int(item.entry.byteCount) : nil)
  }

  private func exclude(_ path: TarPath, _ reason: FileDecision.Reason) {
    progress.change { progress in
      progress.readPaths += 1
      progress.excluded += 1
      guard options.notesExclusions, progress.exclusions.count < 100_000 else { return }
      progress.exclusions.append("\(printable(path.bytes)): \(reason)")
    }
  }

  private func note(_ entry: FileEntry) {
    progress.change { progress in
      if entry.kind == .directory {
        progress.counts.directories += 1
      } else {
        progress.counts.add(entry)
      }
    }
  }

  /// Returns the entry without metadata that no file can have, as a hostile tar may contain anything.
  ///
  /// Impossible attributes and names of owners are removed, and nanoseconds are limited.
  ///
  /// - Throws: ``TarPath/Refusal`` if no link can have the target.
  private func checked(_ item: TarEntry) throws(TarPath.Refusal) -> FileEntry {
    var entry = item.entry
    if case .symbolicLink(let target) = entry.kind {
      guard !target.isEmpty, target.count < Self.linkByteLimit, !target.contains(0) else {
        throw TarPath.Refusal(reason: "its link target is impossible")
      }
    }
    entry.modificationTime.nanoseconds = min(entry.modificationTime.nanoseconds, 999_999_999)
    entry.changeTime.nanoseconds = min(entry.changeTime.nanoseconds, 999_999_999)
    if entry.owner.userName?.contains(0) == true { entry.owner.userName = nil }
    if entry.owner.groupName?.contains(0) == true { entry.owner.groupName = nil }
    for attribute in entry.attributes where !Self.isPossible(attribute) {
      let name = printable(Array(attribute.name.prefix(300)))
      progress.addFailure("“\(printable(item.path))”: the attribute “\(name)” is impossible, and was left out")
    }
    entry.attributes.removeAll { !Self.isPossible($0) }
    return entry
  }

  /// The limit for targets of links, including the NUL at the end (Linux, `PATH_MAX`).
  private static let linkByteLimit = 4096

  /// Tests whether an attribute is within the limits of Linux (`XATTR_NAME_MAX` and `XATTR_SIZE_MAX`).
  private static func isPossible(_ attribute: ExtendedAttribute) -> Bool {
    !attribute.name.isEmpty && attribute.name.count <= 255 && !attribute.name.contains(0)
      && attribute.value.count <= 64 << 10
  }
}

/// A reader of one tar entry's data in the order of the stream, without its holes.
struct TarData {
  private let reader: TarReader
  private var piece: ArraySlice<UInt8> = []
  /// The ranges of data read so far; adjacent ranges are merged.
  private var ranges: [Range<Int64>] = []

  init(_ reader: TarReader) { self.reader = reader }

  /// Reads data into a buffer, and returns the number of bytes; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    if piece.isEmpty {
      guard let next = try next() else { return 0 }
      piece = next[...]
    }
    let count = min(piece.count, buffer.count)
    unsafe buffer.copyBytes(from: piece.prefix(count))
    piece = piece.dropFirst(count)
    return count
  }

  /// Reads all remaining data, for a file that fits into memory.
  mutating func readAll() throws(ArchiveError) -> [UInt8] {
    var all = try next() ?? []
    while let next = try next() { all += next }
    return all
  }

  private mutating func next() throws(ArchiveError) -> [UInt8]? {
    guard let (offset, bytes) = try reader.readData() else { return nil }
    let end = offset + Int64(bytes.count)
    if let last = ranges.last, last.upperBound == offset {
      ranges[ranges.count - 1] = last.lowerBound..<end
    } else {
      ranges.append(offset..<end)
    }
    return bytes
  }

  /// Returns the ranges of data for a file of a given length, as archives store them; none for a file without holes.
  func extents(byteCount: Int64) -> [Range<Int64>] {
    if byteCount == 0 || ranges == [0..<byteCount] { return [] }
    // A file that is a single hole is represented by an empty range at its end.
    return ranges.isEmpty ? [byteCount..<byteCount] : ranges
  }
}
