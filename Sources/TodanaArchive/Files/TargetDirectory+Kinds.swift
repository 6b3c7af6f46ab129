internal import CFileSystem
internal import Glibc

extension TargetDirectory {
  /// Makes a symbolic link, with its own owner and time.
  ///
  /// Where it leads to is not looked at.
  @discardableResult
  package func makeLink(_ entry: FileEntry) throws(FileError) -> FileIdentity {
    guard case .symbolicLink(let target) = entry.kind else { throw wrongKind(entry, .makeLink) }
    return try makeInPlace(of: entry, .makeLink) { temporary throws(FileError) in
      _ = try unsafe handle.call(.makeLink, temporary, about: entry.name) { file, name in
        unsafe target.withUnsafeBufferPointer { target in
          unsafe tdf_make_link(file, name.baseAddress, name.count, target.baseAddress, target.count)
        }
      }
      try writeMetadata(entry, to: temporary)
    }
  }

  /// Returns whether this process may make files of a kind, as far as can be known before.
  static func canMake(_ kind: FileKind) -> Bool {
    switch kind {
    case .socket: false
    case .characterDevice, .blockDevice: tdf_is_root()
    default: true
    }
  }

  /// Makes a FIFO or a device.
  ///
  /// - Returns: nil where it was left out, which the report says: sockets, which only the program makes that listens, and
  ///   devices, where the process may not make them.
  @discardableResult
  package func makeSpecialFile(_ entry: FileEntry) throws(FileError) -> FileIdentity? {
    let (kind, major, minor): (UInt32, UInt32, UInt32)
    switch entry.kind {
    case .fifo: (kind, major, minor) = (S_IFIFO, 0, 0)
    case .characterDevice(let majorNumber, let minorNumber): (kind, major, minor) = (S_IFCHR, majorNumber, minorNumber)
    case .blockDevice(let majorNumber, let minorNumber): (kind, major, minor) = (S_IFBLK, majorNumber, minorNumber)
    case .socket: return try skip(entry, "a socket")
    default: throw wrongKind(entry, .makeSpecialFile)
    }
    if kind != S_IFIFO, !tdf_is_root() { return try skip(entry, "only root makes devices") }
    do throws(FileError) {
      return try makeInPlace(of: entry, .makeSpecialFile) { temporary throws(FileError) in
        _ = try unsafe handle.call(.makeSpecialFile, temporary, about: entry.name) {
          unsafe tdf_make_node($0, $1.baseAddress, $1.count, kind, major, minor)
        }
        try writeMetadata(entry, to: temporary)
      }
    } catch {
      // Root in a container.
      guard kind != S_IFIFO, error.operation == .makeSpecialFile, error.errorNumber == EPERM else { throw error }
      return try skip(entry, "this process may not make devices")
    }
  }

  private func skip(_ entry: FileEntry, _ why: String) throws(FileError) -> FileIdentity? {
    try handle.checkName(entry.name, .makeSpecialFile)
    report.add(FileError(.makeSpecialFile, handle.path.bytes(of: entry.name), .skipped, detail: why))
    return nil
  }

  private func wrongKind(_ entry: FileEntry, _ operation: FileError.Operation) -> FileError {
    FileError(operation, handle.path.bytes(of: entry.name), .badValue, detail: "the entry is of another kind")
  }

  // MARK: Hard links

  /// Adds the flags of an entry to a file that was restored, after all its names were made.
  ///
  /// - Parameters:
  ///   - entry: Whose flags the file gets.
  ///   - steps: Where the file is, from the target on.
  /// - Throws: ``FileError`` if the file is not found; flags that cannot be set go to the report.
  package func writeFlags(_ entry: FileEntry, to steps: [[UInt8]]) throws(FileError) {
    guard let last = steps.last else { return }
    var directory = context.root
    for step in steps.dropLast() { directory = try directory.openDirectory(step) }
    let file = try unsafe directory.call(.setFlags, last) { unsafe tdf_open_handle($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    MetadataWriter(file: file, path: EntryPath(last, in: directory.path), context: context).writeFlags(entry)
  }

  /// Gives a file that was restored one more name.
  ///
  /// - Parameters:
  ///   - entry: The new name, in this directory, and the time that ``RestoreOptions/Overwriting/older`` compares.
  ///   - steps: Where the file is, from the target on: the names of directories, and its own.
  ///   - identity: The file that it has to be; nil: any file beneath the target.
  ///   - replaces: Whether an existing file of that name is replaced, whatever the options say.
  /// - Throws: ``FileError/Code/changed`` if it is another file.
  package func makeHardLink(
    _ entry: FileEntry, to steps: [[UInt8]], expecting identity: FileIdentity?, replaces: Bool = false
  ) throws(FileError) {
    guard let last = steps.last else { throw FileError(.makeLink, handle.path.bytes(of: entry.name), .badName) }
    var directory = context.root
    for step in steps.dropLast() { directory = try directory.openDirectory(step) }
    guard let file = try directory.status(of: last) else { throw directory.error(.makeLink, last, ENOENT) }
    // The kernel takes two names of one file for renamed without doing anything.
    if let there = try handle.status(of: entry.name), FileIdentity(there) == FileIdentity(file) { return }
    _ = try makeInPlace(of: entry, .makeLink, replaces: replaces) { temporary throws(FileError) in
      _ = try unsafe directory.call(.makeLink, last) { from, name in
        unsafe temporary.withUnsafeBufferPointer { temporary in
          unsafe tdf_add_name(
            from, name.baseAddress, name.count, handle.file, temporary.baseAddress, temporary.count)
        }
      }
      guard let identity, let made = try handle.status(of: temporary) else { return }
      guard FileIdentity(made) == identity else {
        throw FileError(.makeLink, directory.path.bytes(of: last), .changed)
      }
    }
  }
}
