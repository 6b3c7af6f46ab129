internal import CFileSystem
internal import Glibc

/// An open directory that is read: its names, what each is, and their data.
///
/// It is closed with the last copy of the value. Everything is found by one step from the directory itself, and a symbolic
/// link is never followed. Any thread, but ``names()`` by one at a time.
package struct SourceDirectory: Sendable {
  let handle: DirectoryHandle
  let owners: OwnerNames

  init(_ handle: DirectoryHandle, _ owners: OwnerNames) {
    self.handle = handle
    self.owners = owners
  }

  /// The path, as the walk began it, for messages.
  package var path: [UInt8] { handle.path.bytes }
  package var identity: FileIdentity { handle.identity }

  /// The names of all that is in it, sorted by bytes, without "." and "..".
  ///
  /// Throws where the directory cannot be read, or has more than 4 GiB of names.
  package func names() throws(FileError) -> NameList { try handle.names() }

  /// The path of something in this directory, for messages.
  func path(of name: [UInt8]) -> [UInt8] { handle.path.bytes(of: name) }

  /// Whether there is something of a name; false if that cannot be told.
  func has(_ name: [UInt8]) -> Bool { ((try? handle.status(of: name)) ?? nil) != nil }

  /// Opens a directory in this one.
  ///
  /// - Parameters:
  ///   - name: One step.
  ///   - identity: What ``entry(named:onWarning:)`` said; nil where it may be any directory.
  /// - Returns: The directory; its own directory may be let go of.
  /// - Throws: ``FileError/Code/changed`` where another directory, or something else, stands there now.
  package func openDirectory(
    named name: [UInt8], expecting identity: FileIdentity? = nil
  ) throws(FileError) -> SourceDirectory {
    do throws(FileError) {
      return SourceDirectory(try handle.openDirectory(name, expecting: identity), owners)
    } catch {
      let isOther = error.code == .linkInTheWay || error.code == .notADirectory
      guard identity != nil, isOther else { throw error }
      throw FileError(.open, error.path, .changed, errorNumber: error.errorNumber)
    }
  }

  /// Opens a regular file for reading, without a trace in its time of last access where that is permitted.
  ///
  /// `entry` is what ``entry(named:onWarning:)`` returned; where something else stands there now, this throws
  /// ``FileError/Code/changed``, and waits for none, such as a FIFO.
  package func openFile(_ entry: FileEntry) throws(FileError) -> SourceFile {
    guard entry.kind == .regular else {
      throw FileError(.open, handle.path.bytes(of: entry.name), .badValue, detail: "not a regular file")
    }
    let file: CInt
    do throws(FileError) {
      file = try unsafe handle.call(.open, entry.name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
    } catch {
      // A link, a socket (ENXIO), or a device without a driver: none of them is the file.
      let isOther = error.code == .linkInTheWay || error.errorNumber == ENXIO || error.errorNumber == ENODEV
      throw isOther ? FileError(.open, error.path, .changed, errorNumber: error.errorNumber) : error
    }
    return try SourceFile(file, EntryPath(entry.name, in: handle.path), expecting: entry.identity)
  }

  /// What a name stands for, a link itself included.
  ///
  /// All is read of one file, also when the name is given to another meanwhile.
  ///
  /// - Parameters:
  ///   - name: One step.
  ///   - known: What was there earlier. Attributes and the target of a link are taken from it where the file has not been
  ///     changed since, which its change time tells.
  ///   - onWarning: Called for each attribute that cannot be read, and is then not in the entry.
  /// - Returns: All that there is to know but the data.
  /// - Throws: ``FileError/Code/vanished`` where there is nothing of that name.
  package func entry(
    named name: [UInt8], known: FileEntry? = nil, onWarning: (FileError) -> Void
  ) throws(FileError) -> FileEntry {
    if let entry = try unchangedEntry(named: name, known) { return entry }
    let file = try unsafe handle.call(.readStatus, name) { unsafe tdf_open_handle($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    return try EntryReader(file: file, path: EntryPath(name, in: handle.path), owners: owners)
      .entry(named: name, onWarning)
  }

  /// As ``entry(named:known:onWarning:)``, of what the directory says is a regular file: it is opened to be read at once.
  ///
  /// The file is nil where it need not, or may not, be read, or has become something else.
  func openEntry(
    named name: [UInt8], known: FileEntry? = nil, onWarning: (FileError) -> Void
  ) throws(FileError) -> (entry: FileEntry, file: SourceFile?) {
    if let entry = try unchangedEntry(named: name, known) { return (entry, nil) }
    let file: SourceFile
    do throws(FileError) {
      let opened = try unsafe handle.call(.open, name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
      file = try SourceFile(opened, EntryPath(name, in: handle.path))
    } catch {
      // Why is told by what asks without reading, or when it is to be read after all.
      return (try entry(named: name, onWarning: onWarning), nil)
    }
    return (file.entry(named: name, owners, onWarning: onWarning), file)
  }

  /// What is known of a name already, where its file has not been changed since.
  private func unchangedEntry(named name: [UInt8], _ known: FileEntry?) throws(FileError) -> FileEntry? {
    guard let known, let status = try handle.status(of: name) else { return nil }
    let entry = EntryReader.entry(named: name, status, known.kind, owners, known.attributes, known.flags)
    return entry.hasKind(of: status) && entry.isUnchanged(since: known) ? entry : nil
  }

  /// What this directory is itself, under a name of the caller's choice.
  package func ownEntry(named name: [UInt8] = [], onWarning: (FileError) -> Void) throws(FileError) -> FileEntry {
    try EntryReader(file: handle.file, path: handle.path, owners: owners).entry(named: name, onWarning)
  }
}

/// The names in a directory, sorted by bytes, each once.
///
/// Millions of names are held without an allocation for each: their bytes one after the other, and eight bytes beside.
package struct NameList: Sendable, RandomAccessCollection {
  private struct Place {
    var start: UInt32
    var count: UInt16
    var isRegular: Bool
  }

  private var bytes: [UInt8] = []
  private var places: [Place] = []

  /// Begins an empty list; names are then appended, and sorted in the end.
  init() {}

  /// Returns false where the list takes no more: 4 GiB of names, or one of 64 KiB.
  mutating func append(_ name: UnsafeBufferPointer<UInt8>, isRegular: Bool = false) -> Bool {
    guard let start = UInt32(exactly: bytes.count), UInt32(exactly: bytes.count + name.count) != nil,
      let count = UInt16(exactly: name.count)
    else { return false }
    unsafe bytes.append(contentsOf: name)
    places.append(Place(start: start, count: count, isRegular: isRegular))
    return true
  }

  mutating func sort() { places = Self.sorted(places, bytes.span) }

  private static func sorted(_ places: [Place], _ bytes: borrowing Span<UInt8>) -> [Place] {
    var sorted: [Place] = []
    sorted.reserveCapacity(places.count)
    for place in places.sorted(by: { isOrdered(bytes, $0, before: $1) }) {
      // A directory that changes while it is read may give a name twice.
      if let last = sorted.last, !isOrdered(bytes, last, before: place) { continue }
      sorted.append(place)
    }
    return sorted
  }

  private static func isOrdered(_ bytes: borrowing Span<UInt8>, _ left: Place, before right: Place) -> Bool {
    let (leftStart, rightStart) = (Int(left.start), Int(right.start))
    for offset in 0..<Int(Swift.min(left.count, right.count)) {
      let (leftByte, rightByte) = (bytes[leftStart + offset], bytes[rightStart + offset])
      if leftByte != rightByte { return leftByte < rightByte }
    }
    return left.count < right.count
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { places.count }

  /// Whether the directory says that the name is that of a regular file; false may mean that it does not know.
  func isRegular(at index: Int) -> Bool { places[index].isRegular }

  package subscript(index: Int) -> [UInt8] {
    let place = places[index]
    return Array(bytes[Int(place.start)..<Int(place.start) + Int(place.count)])
  }
}
