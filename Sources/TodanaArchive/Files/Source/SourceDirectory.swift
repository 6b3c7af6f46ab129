internal import CFileSystem
internal import Glibc

/// An open directory for reading its names, their metadata and their data.
///
/// It is closed when the last copy of the value is released. Each operation takes a single path component relative to
/// the directory; symbolic links are never followed. Thread-safe, except that ``names()`` must not run concurrently on
/// one directory.
package struct SourceDirectory: Sendable {
  let handle: DirectoryHandle
  let owners: OwnerNames

  init(_ handle: DirectoryHandle, _ owners: OwnerNames) {
    self.handle = handle
    self.owners = owners
  }

  /// The path for messages; it begins with the path at which the walk started.
  package var path: [UInt8] { handle.path.bytes }
  package var identity: FileIdentity { handle.identity }

  /// Returns all names except "." and "..", sorted by bytes.
  ///
  /// - Throws: ``FileError`` if the directory cannot be read, or if its names exceed 4 GiB.
  package func names() throws(FileError) -> NameList { try handle.names() }

  /// Returns the path of an entry in this directory, for messages.
  func path(of name: [UInt8]) -> [UInt8] { handle.path.bytes(of: name) }

  /// Tests whether a name exists; false if that cannot be determined.
  func has(_ name: [UInt8]) -> Bool { ((try? handle.status(of: name)) ?? nil) != nil }

  /// Opens a subdirectory without following a symbolic link.
  ///
  /// - Parameters:
  ///   - name: A single path component.
  ///   - identity: The expected identity, from ``entry(named:known:onWarning:)``; nil accepts any directory.
  /// - Returns: The directory, which stays open when this one is closed.
  /// - Throws: ``FileError/Code/changed`` if an identity was given and the name no longer refers to that directory.
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

  /// Opens a regular file for reading, without changing its access time if the system permits that.
  ///
  /// Never waits, even if a FIFO has taken the file's place.
  ///
  /// - Parameter entry: The result of ``entry(named:known:onWarning:)``.
  /// - Returns: The file.
  /// - Throws: ``FileError/Code/changed`` if the name now refers to another file.
  package func openFile(_ entry: FileEntry) throws(FileError) -> SourceFile {
    guard entry.kind == .regular else {
      throw FileError(.open, handle.path.bytes(of: entry.name), .badValue, detail: "not a regular file")
    }
    let file: CInt
    do throws(FileError) {
      file = try unsafe handle.call(.open, entry.name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
    } catch {
      // A link, a socket (ENXIO) or a device without a driver (ENODEV) has taken the file's place.
      let isOther = error.code == .linkInTheWay || error.errorNumber == ENXIO || error.errorNumber == ENODEV
      throw isOther ? FileError(.open, error.path, .changed, errorNumber: error.errorNumber) : error
    }
    return try SourceFile(file, EntryPath(entry.name, in: handle.path), expecting: entry.identity)
  }

  /// Returns the metadata of a name, without following a symbolic link.
  ///
  /// All metadata is read from one file, even if the name is given to another file concurrently.
  ///
  /// - Parameters:
  ///   - name: A single path component.
  ///   - known: An earlier entry of the name. If the file is unchanged since, attributes, flags and the target of a
  ///     link are taken from it.
  ///   - onWarning: Called for attributes or flags that cannot be read; they are then missing in the entry.
  /// - Returns: The entry.
  /// - Throws: ``FileError/Code/vanished`` if the name does not exist.
  package func entry(
    named name: [UInt8], known: FileEntry? = nil, onWarning: (FileError) -> Void
  ) throws(FileError) -> FileEntry {
    if let entry = try unchangedEntry(named: name, known) { return entry }
    let file = try unsafe handle.call(.readStatus, name) { unsafe tdf_open_handle($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    return try EntryReader(file: file, path: EntryPath(name, in: handle.path), owners: owners)
      .entry(named: name, onWarning)
  }

  /// Returns the metadata of a name that the directory lists as a regular file, and opens the file immediately.
  ///
  /// The file is nil if it is unchanged since `known`, if it cannot be opened, or if it is no longer a regular file.
  func openEntry(
    named name: [UInt8], known: FileEntry? = nil, onWarning: (FileError) -> Void
  ) throws(FileError) -> (entry: FileEntry, file: SourceFile?) {
    if let entry = try unchangedEntry(named: name, known) { return (entry, nil) }
    let file: SourceFile
    do throws(FileError) {
      let opened = try unsafe handle.call(.open, name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
      file = try SourceFile(opened, EntryPath(name, in: handle.path))
    } catch {
      // Reading the metadata, or opening the file later, reports the cause.
      return (try entry(named: name, onWarning: onWarning), nil)
    }
    return (file.entry(named: name, owners, onWarning: onWarning), file)
  }

  /// Returns the known entry with its current status if the file has not changed since; nil otherwise.
  private func unchangedEntry(named name: [UInt8], _ known: FileEntry?) throws(FileError) -> FileEntry? {
    guard let known, let status = try handle.status(of: name) else { return nil }
    let entry = EntryReader.entry(named: name, status, known.kind, owners, known.attributes, known.flags)
    return entry.hasKind(of: status) && entry.isUnchanged(since: known) ? entry : nil
  }

  /// Returns the metadata of this directory itself, under a name that the caller chooses.
  package func ownEntry(named name: [UInt8] = [], onWarning: (FileError) -> Void) throws(FileError) -> FileEntry {
    try EntryReader(file: handle.file, path: handle.path, owners: owners).entry(named: name, onWarning)
  }
}

/// The names in a directory, sorted by bytes, without duplicates.
///
/// The list can hold millions of names: one buffer contains all their bytes, and each name has an eight-byte record of
/// its position.
package struct NameList: Sendable, RandomAccessCollection {
  private struct Place {
    var start: UInt32
    var count: UInt16
    var isRegular: Bool
  }

  private var bytes: [UInt8] = []
  private var places: [Place] = []

  /// Creates an empty list; call ``sort()`` after appending all names.
  init() {}

  /// Appends a name; returns false if the list would exceed 4 GiB, or if the name has 64 KiB or more.
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
      // A directory that changes while it is read may return a name twice.
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

  /// Tests whether the directory lists the name as a regular file; false may mean that the file system does not report
  /// kinds.
  func isRegular(at index: Int) -> Bool { places[index].isRegular }

  package subscript(index: Int) -> [UInt8] {
    let place = places[index]
    return Array(bytes[Int(place.start)..<Int(place.start) + Int(place.count)])
  }
}
