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
