internal import CFileSystem
internal import Glibc

extension TargetDirectory {
  /// Makes a file under a temporary name with `make`, which also sets its metadata, and renames it to the entry's name.
  ///
  /// After an error, no file is left. For `replaces`, see ``place(_:as:replaces:)``.
  func makeInPlace(
    of entry: FileEntry, _ operation: FileError.Operation, replaces: Bool = false,
    _ make: (_ temporary: [UInt8]) throws(FileError) -> Void
  ) throws(FileError) -> FileIdentity {
    try handle.checkName(entry.name, operation)
    let temporary = context.temporaryNames.next()
    do throws(FileError) {
      try make(temporary)
      guard let status = try handle.status(of: temporary) else { throw handle.error(.place, entry.name, ENOENT) }
      try place(temporary, as: entry, replaces: replaces)
      return FileIdentity(status)
    } catch {
      try? handle.remove(temporary)
      throw explained(error, entry.name)
    }
  }

  /// Renames a file from a temporary name to the name of an entry.
  ///
  /// - Parameters:
  ///   - temporary: The present name.
  ///   - entry: The new name, and the time to compare for ``RestoreOptions/Overwriting/older``.
  ///   - replaces: Whether an existing file is replaced regardless of the options.
  /// - Throws: ``FileError/Code/exists`` if the existing file must stay, or is a directory with content. In a directory
  ///   made by this run, every existing file must stay: the file system treats two names of the snapshot as equal, for
  ///   example because it ignores case.
  func place(_ temporary: [UInt8], as entry: FileEntry, replaces: Bool = false) throws(FileError) {
    let name = entry.name
    let options = context.options.overwriting
    guard replaces || origin != .made && (options == .older || options == .always) else {
      do throws(FileError) {
        return try rename(temporary, to: name, replaces: false)
      } catch {
        guard error.errorNumber == EEXIST else { throw error }
        throw FileError(.place, error.path, .exists)
      }
    }
    if !replaces, let status = try handle.status(of: name), !mayReplace(status, entry) {
      throw FileError(.place, handle.path.bytes(of: name), .exists)
    }
    do throws(FileError) {
      try rename(temporary, to: name, replaces: true)
    } catch {
      guard error.errorNumber == EISDIR else { throw error }
      // Succeeds only if the directory is empty.
      try handle.remove(name, isDirectory: true)
      try rename(temporary, to: name, replaces: true)
    }
  }

  private func rename(_ temporary: [UInt8], to name: [UInt8], replaces: Bool) throws(FileError) {
    _ = try unsafe handle.call(.place, temporary, about: name) { file, from in
      unsafe name.withUnsafeBufferPointer { to in
        unsafe tdf_rename(file, from.baseAddress, from.count, to.baseAddress, to.count, replaces)
      }
    }
  }

  /// Sets the metadata of a file of any kind that has a temporary name.
  func writeMetadata(_ entry: FileEntry, to temporary: [UInt8]) throws(FileError) {
    let file = try unsafe handle.call(.open, temporary, about: entry.name) {
      unsafe tdf_open_handle($0, $1.baseAddress, $1.count)
    }
    defer { _ = tdf_close(file) }
    MetadataWriter(file: file, path: EntryPath(entry.name, in: handle.path), context: context).write(entry)
  }
}

extension TargetDirectory {
  /// Makes a symbolic link, with its own owner and time.
  ///
  /// The target of the link is not examined.
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

  /// Tests whether this process may make files of a kind; true does not guarantee success.
  static func canMake(_ kind: FileKind) -> Bool {
    switch kind {
    case .socket: false
    case .characterDevice, .blockDevice: tdf_is_root()
    default: true
    }
  }

  /// Makes a FIFO or a device.
  ///
  /// - Returns: The identity of the file; nil if it was left out and reported. This applies to devices that the process
  ///   may not make, and to sockets, which only the listening program can make.
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
    if kind != S_IFIFO, !tdf_is_root() { return try skip(entry, "only root can create devices") }
    do throws(FileError) {
      return try makeInPlace(of: entry, .makeSpecialFile) { temporary throws(FileError) in
        _ = try unsafe handle.call(.makeSpecialFile, temporary, about: entry.name) {
          unsafe tdf_make_node($0, $1.baseAddress, $1.count, kind, major, minor)
        }
        try writeMetadata(entry, to: temporary)
      }
    } catch {
      // In a container, even root may be forbidden to make devices.
      guard kind != S_IFIFO, error.operation == .makeSpecialFile, error.errorNumber == EPERM else { throw error }
      return try skip(entry, "this process is not allowed to create devices")
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

  /// Adds the flags of an entry to a restored file; call this after all its names were made.
  ///
  /// - Parameters:
  ///   - entry: The entry with the flags.
  ///   - steps: The path components from the target to the file.
  /// - Throws: ``FileError`` if the file is not found. Flags that cannot be set are added to the report.
  package func writeFlags(_ entry: FileEntry, to steps: [[UInt8]]) throws(FileError) {
    guard let last = steps.last else { return }
    var directory = context.root
    for step in steps.dropLast() { directory = try directory.openDirectory(step) }
    let file = try unsafe directory.call(.setFlags, last) { unsafe tdf_open_handle($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    MetadataWriter(file: file, path: EntryPath(last, in: directory.path), context: context).writeFlags(entry)
  }

  /// Gives a restored file another name in this directory.
  ///
  /// - Parameters:
  ///   - entry: The new name, and the time to compare for ``RestoreOptions/Overwriting/older``.
  ///   - steps: The path components from the target to the file: its directories and its name.
  ///   - identity: The identity that the file must have; nil accepts any file below the target.
  ///   - replaces: Whether an existing file of that name is replaced regardless of the options.
  /// - Throws: ``FileError/Code/changed`` if the file has another identity.
  package func makeHardLink(
    _ entry: FileEntry, to steps: [[UInt8]], expecting identity: FileIdentity?, replaces: Bool = false
  ) throws(FileError) {
    guard let last = steps.last else { throw FileError(.makeLink, handle.path.bytes(of: entry.name), .badName) }
    var directory = context.root
    for step in steps.dropLast() { directory = try directory.openDirectory(step) }
    guard let file = try directory.status(of: last) else { throw directory.error(.makeLink, last, ENOENT) }
    // If both names belong to one file already, rename(2) does nothing and would leave the temporary name.
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
