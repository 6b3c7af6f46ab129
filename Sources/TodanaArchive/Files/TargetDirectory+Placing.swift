internal import CFileSystem
internal import Glibc

extension TargetDirectory {
  /// Has something made under a temporary name, with its metadata, and gives it the name of an entry.
  ///
  /// An error leaves nothing. `replaces`: see ``place(_:as:replaces:)``.
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

  /// Gives a file with a temporary name the name of an entry.
  ///
  /// - Parameters:
  ///   - temporary: The present name.
  ///   - entry: The name to be, and the time that ``RestoreOptions/Overwriting/older`` compares.
  ///   - replaces: Whether an existing file is replaced, whatever the options say.
  /// - Throws: ``FileError/Code/exists`` if something exists that stays, by the options or as a directory with content;
  ///   and in a directory that this run has made: two names are one there, as some file systems do not distinguish cases.
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
      // Only an empty directory is removed.
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

  /// Sets the metadata of what has a temporary name, whatever kind it is.
  func writeMetadata(_ entry: FileEntry, to temporary: [UInt8]) throws(FileError) {
    let file = try unsafe handle.call(.open, temporary, about: entry.name) {
      unsafe tdf_open_handle($0, $1.baseAddress, $1.count)
    }
    defer { _ = tdf_close(file) }
    MetadataWriter(file: file, path: EntryPath(entry.name, in: handle.path), context: context).write(entry)
  }
}
