internal import Glibc
internal import Todana

/// Reads a pack, and refuses it if any bit differs from the form that ``PackWriter`` writes.
///
/// Parts are returned before their checksums are known. The bytes of the files are verified only when
/// ``next(waiting:)`` returns nil.
struct PackReader {
  private let input: PackInput
  private let hash: SHA256Hash
  private(set) var summary: PackSummary?
  private(set) var doneByteCount: Int64 = 0
  private var seconds: Int64 = 0
  private var fileCount = 0
  /// The current file, and the number of its bytes that are still to be read.
  private var file: (header: PackHeader, missingByteCount: Int64)?
  private var sums = ""
  private var isAtEnd = false

  init(_ descriptor: CInt) throws(ArchiveError) {
    input = PackInput(descriptor)
    hash = try SHA256Hash()
  }

  /// Returns the next part of the archive's store; nil at the end of a sound pack.
  ///
  /// `waiting` is called as ``PackInput/read(_:waiting:)`` calls it. Throws ``ArchiveError/Code/notAPack``,
  /// ``ArchiveError/Code/newerFormat`` or ``ArchiveError/Code/damaged``; `FileError`; errors of `waiting`.
  mutating func next(waiting: () throws -> Void) throws -> BackupPart? {
    guard let summary else { return .summary(try readSummary(waiting)) }
    if let part = try readFile(waiting) { return part }
    if isAtEnd { return nil }
    if fileCount == summary.fileCount {
      try readEnd(waiting)
      return nil
    }
    let header = try readHeader(waiting)
    let directory = PackFormat.directoryName + "/"
    guard header.name.hasPrefix(directory), let byteCount = Int(exactly: header.byteCount) else {
      throw damage("a member has a name that is not that of a file of an archive")
    }
    fileCount += 1
    file = (header, header.byteCount)
    return .file(name: String(header.name.dropFirst(directory.count)), byteCount: byteCount)
  }

  private mutating func readSummary(_ waiting: () throws -> Void) throws -> BackupSummary {
    let start = try input.read(TarBlock.byteCount, waiting: waiting)
    guard start.starts(with: Array("\(PackFormat.summaryName)\u{0}".utf8)) else {
      throw ArchiveError(.notAPack, start.isEmpty ? "The input is empty, and not a pack." : "The input is not a pack.")
    }
    let header = try self.header(start)
    guard header.name == PackFormat.summaryName, header.byteCount <= PackFormat.summaryByteLimit else {
      throw damage("its first member is invalid")
    }
    seconds = header.seconds
    let text = try readMember(header, waiting)
    let summary = try PackSummary(text, seconds: seconds)
    self.summary = summary
    guard let byteCount = Int(exactly: summary.byteCount) else { throw damage("its files are too large") }
    return BackupSummary(
      storeID: summary.storeID, commitNumber: summary.commitNumber, fileCount: summary.fileCount, byteCount: byteCount)
  }

  /// Returns the next bytes of the current file; nil if there is no file, or if it has ended.
  private mutating func readFile(_ waiting: () throws -> Void) throws -> BackupPart? {
    guard let (header, missingByteCount) = file else { return nil }
    if missingByteCount == 0 {
      try endMember(header, waiting)
      file = nil
      return nil
    }
    let bytes = try readAll(Int(min(missingByteCount, Int64(PackFormat.pieceByteCount))), waiting)
    try hash.add(bytes)
    file = (header, missingByteCount - Int64(bytes.count))
    doneByteCount += Int64(bytes.count)
    return .bytes(bytes)
  }

  private mutating func readEnd(_ waiting: () throws -> Void) throws {
    let expected = sums
    let header = try readHeader(waiting)
    guard header.name == PackFormat.sumsName else { throw damage("it has more members than its first one says") }
    guard header.byteCount == Int64(expected.utf8.count) else { throw damage("its list of checksums is wrong") }
    let found = try readMember(header, waiting)
    if found != Array(expected.utf8) { throw damage(differing(found, expected)) }
    guard try readAll(PackFormat.endByteCount, waiting).allSatisfy({ $0 == 0 }) else {
      throw damage("its end mark is missing")
    }
    guard try input.read(1, waiting: waiting).isEmpty else { throw damage("data follow its end mark") }
    isAtEnd = true
  }

  /// Returns a description of the first checksum that differs.
  private func differing(_ found: [UInt8], _ expected: String) -> String {
    let lines = String(decoding: found, as: UTF8.self).split(separator: "\n")
    let different = zip(expected.split(separator: "\n"), lines).first { $0 != $1 }
    guard let name = different?.0.split(separator: " ").last else { return "its checksums do not match its files" }
    return "“\(name)” does not match its checksum"
  }

  // MARK: Members

  private func readHeader(_ waiting: () throws -> Void) throws -> PackHeader {
    let header = try header(readAll(TarBlock.byteCount, waiting))
    guard header.seconds == seconds else { throw damage("a member belongs to another pack") }
    return header
  }

  private func header(_ block: [UInt8]) throws(ArchiveError) -> PackHeader {
    guard block.count == TarBlock.byteCount else { throw cut }
    guard let header = PackHeader(TarBlock(block)) else {
      throw damage("the header of a member is damaged")
    }
    return header
  }

  /// Reads the content of a small member.
  private mutating func readMember(_ header: PackHeader, _ waiting: () throws -> Void) throws -> [UInt8] {
    let content = try readAll(Int(header.byteCount), waiting)
    try hash.add(content)
    try endMember(header, waiting)
    return content
  }

  private mutating func endMember(_ header: PackHeader, _ waiting: () throws -> Void) throws {
    sums += PackFormat.sumsLine(try hash.finish(), header.name)
    let padding = try readAll(PackFormat.paddingByteCount(header.byteCount), waiting)
    guard padding.allSatisfy({ $0 == 0 }) else { throw damage("the padding of a member is not zero") }
  }

  private func readAll(_ byteCount: Int, _ waiting: () throws -> Void) throws -> [UInt8] {
    let bytes = try input.read(byteCount, waiting: waiting)
    guard bytes.count == byteCount else { throw cut }
    return bytes
  }

  private var cut: ArchiveError { damage("it is truncated: its end mark is missing") }

  private func damage(_ what: String) -> ArchiveError { ArchiveError(.damaged, "The pack is damaged: \(what).") }
}

/// An input stream that is read in pieces of a requested length.
struct PackInput {
  private let descriptor: CInt
  private static let waitMilliseconds: CInt = 200

  init(_ descriptor: CInt) { self.descriptor = descriptor }

  /// Reads `byteCount` bytes, or fewer at the end of the stream.
  ///
  /// Calls `waiting` before each read, and repeatedly while no input arrives; throws the errors of `waiting`.
  func read(_ byteCount: Int, waiting: () throws -> Void) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var filled = 0
    while filled < byteCount {
      try waiting()
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&wanted, 1, Self.waitMilliseconds) > 0 else { continue }
      let (count, errorNumber) = unsafe bytes.withUnsafeMutableBytes { bytes in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
        let count = unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
        return (count, errno)
      }
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errorNumber != EINTR, errorNumber != EAGAIN {
        throw FileError(.readData, Array("the pack".utf8), errorNumber: errorNumber)
      }
    }
    bytes.removeLast(byteCount - filled)
    return bytes
  }
}
