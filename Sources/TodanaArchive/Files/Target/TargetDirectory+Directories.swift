internal import CFileSystem
internal import Glibc

extension TargetDirectory {
  /// Makes a subdirectory, or opens the existing one.
  ///
  /// Until ``finish(_:keepsExisting:)``, a new directory contains a marker, and only its owner has access. Another kind
  /// of file with that name, such as a link to a directory, is replaced if the options allow it.
  ///
  /// - Throws: ``FileError/Code/linkInTheWay`` or ``FileError/Code/notADirectory`` if such a file is not replaced.
  package func makeDirectory(_ entry: FileEntry) throws(FileError) -> TargetDirectory {
    guard entry.kind == .directory else {
      throw FileError(.makeDirectory, handle.path.bytes(of: entry.name), .badValue, detail: "not a directory")
    }
    try handle.checkName(entry.name, .makeDirectory)
    guard let status = try handle.status(of: entry.name) else {
      do throws(FileError) {
        return try makeNewDirectory(entry.name)
      } catch {
        // Another process may have made the directory concurrently.
        guard error.errorNumber == EEXIST, let status = try handle.status(of: entry.name),
          status.mode & S_IFMT == S_IFDIR
        else { throw error }
        return try openDirectory(entry.name, status)
      }
    }
    if status.mode & S_IFMT == S_IFDIR { return try openDirectory(entry.name, status) }
    guard mayReplace(status, entry) else { throw inTheWay(of: entry, status) }
    do throws(FileError) { try handle.remove(entry.name) } catch { throw explained(error, entry.name) }
    return try makeNewDirectory(entry.name)
  }

  /// Makes a directory under a temporary name, puts the marker in it, and renames it.
  ///
  /// A directory is never visible under its final name without the marker.
  private func makeNewDirectory(_ name: [UInt8]) throws(FileError) -> TargetDirectory {
    let temporary = context.temporaryNames.next()
    do throws(FileError) {
      _ = try unsafe handle.call(.makeDirectory, temporary, about: name) {
        unsafe tdf_make_directory($0, $1.baseAddress, $1.count)
      }
      let directory = try handle.openDirectory(temporary, as: name)
      // Lock it, so that another run does not mistake it for a leftover.
      _ = tdf_try_lock(directory.file)
      let made = TargetDirectory(directory, context, .made)
      try made.addMarker()
      _ = try unsafe handle.call(.makeDirectory, temporary, about: name) { file, from in
        unsafe name.withUnsafeBufferPointer { to in
          unsafe tdf_rename(file, from.baseAddress, from.count, to.baseAddress, to.count, false)
        }
      }
      return made
    } catch {
      _ = removeTemporaryDirectory(temporary)
      throw explained(error, name)
    }
  }

  /// Puts the marker of an unfinished directory into this directory, which was just made.
  func addMarker() throws(FileError) {
    let marker = try unsafe handle.call(.makeFile, TemporaryName.unfinishedMarker) {
      unsafe tdf_create_file($0, $1.baseAddress, $1.count)
    }
    _ = tdf_close(marker)
  }

  /// Removes a directory with a temporary name, and the marker in it.
  ///
  /// Returns false if the directory does not exist, is in use by another run, or has other content.
  func removeTemporaryDirectory(_ name: [UInt8]) -> Bool {
    do throws(FileError) {
      let directory = try handle.openDirectory(name)
      guard tdf_try_lock(directory.file) != -EWOULDBLOCK else { return false }
      if try directory.status(of: TemporaryName.unfinishedMarker) != nil {
        try directory.remove(TemporaryName.unfinishedMarker)
      }
      try handle.remove(name, isDirectory: true)
      return true
    } catch {
      return false
    }
  }

  private func openDirectory(_ name: [UInt8], _ status: tdf_status) throws(FileError) -> TargetDirectory {
    try refuseExcluded(name, status)
    // An earlier run has left the directory without permissions; ``finish(_:keepsExisting:)`` sets them again.
    let isClosed = status.mode & S_IRWXU != S_IRWXU && status.user_id == tdf_user_id() && !tdf_is_root()
    let setsMetadata = context.options.overwriting == .always || context.options.overwriting == .metadata
    if isClosed, setsMetadata, !context.isDryRun {
      let file = try unsafe handle.call(.open, name) { unsafe tdf_open_handle($0, $1.baseAddress, $1.count) }
      // If this fails, opening the directory reports the cause.
      _ = tdf_set_permissions(file, status.mode | S_IRWXU)
      _ = tdf_close(file)
    }
    return try openExistingDirectory(name, status)
  }

  /// Opens the existing directory with an entry's name; returns nil if a dry run would make it.
  ///
  /// - Throws: The errors of ``makeDirectory(_:)``.
  func openForDryRun(_ entry: FileEntry) throws(FileError) -> TargetDirectory? {
    guard let status = try handle.status(of: entry.name) else { return nil }
    if status.mode & S_IFMT == S_IFDIR {
      try refuseExcluded(entry.name, status)
      return try openExistingDirectory(entry.name, status)
    }
    if mayReplace(status, entry) { return nil }
    throw inTheWay(of: entry, status)
  }

  private func inTheWay(of entry: FileEntry, _ status: tdf_status) -> FileError {
    let isLink = status.mode & S_IFMT == S_IFLNK
    return FileError(.makeDirectory, handle.path.bytes(of: entry.name), isLink ? .linkInTheWay : .notADirectory)
  }

  private func refuseExcluded(_ name: [UInt8], _ status: tdf_status) throws(FileError) {
    guard FileIdentity(status) == context.excluded else { return }
    throw FileError(.makeDirectory, handle.path.bytes(of: name), .skipped, detail: "the archive itself is in its place")
  }

  /// Opens an existing directory without changing it.
  private func openExistingDirectory(_ name: [UInt8], _ status: tdf_status) throws(FileError) -> TargetDirectory {
    let directory = try handle.openDirectory(name, expecting: FileIdentity(status))
    return TargetDirectory(directory, context, try Self.origin(of: directory, status))
  }

  /// Returns the origin of an existing directory: unfinished if it has the marker or
  /// ``MetadataWriter/unfinishedPermissions``.
  static func origin(of directory: DirectoryHandle, _ status: tdf_status) throws(FileError) -> Origin {
    let marker = try directory.status(of: TemporaryName.unfinishedMarker)
    let hasMarker = marker.map { $0.mode & S_IFMT == S_IFREG } ?? false
    let isUnfinished = hasMarker || status.mode & 0o7777 == MetadataWriter.unfinishedPermissions
    return isUnfinished ? .unfinished : .existing(modificationTime: .modification(status))
  }
}

extension TargetDirectory {
  /// Gives this directory the metadata of an entry; call this after its content was restored.
  ///
  /// An existing directory gets the metadata if the options say so; otherwise, the report counts it if it differs.
  /// Metadata that cannot be set is added to the report.
  ///
  /// - Parameters:
  ///   - entry: The directory's entry.
  ///   - keepsExisting: Whether an existing directory keeps its metadata, since its entry was not selected.
  package func finish(_ entry: FileEntry, keepsExisting: Bool = false) {
    let writer = MetadataWriter(file: handle.file, path: handle.path, context: context)
    switch origin {
    case .made, .unfinished: if !context.isDryRun { finishNew(entry, writer) }
    case .existing(let time): finishExisting(entry, writer, time, keepsExisting: keepsExisting)
    }
  }

  private func finishNew(_ entry: FileEntry, _ writer: MetadataWriter) {
    writer.write(entry) { removeMarker() }
    writer.writeFlags(entry)
  }

  private func removeMarker() {
    do throws(FileError) {
      try handle.remove(TemporaryName.unfinishedMarker)
    } catch {
      // Another run may have finished the directory.
      if error.code != .vanished { context.report.add(error) }
    }
  }

  private func finishExisting(
    _ entry: FileEntry, _ writer: MetadataWriter, _ timeBefore: FileTime, keepsExisting: Bool
  ) {
    var status = tdf_status()
    let result = unsafe tdf_get_status(handle.file, &status)
    guard result == 0 else { return context.report.add(FileError(.readStatus, path, errorNumber: -result)) }
    // Restoring files has changed the directory's time.
    let hasNewTime = .modification(status) != timeBefore
    (status.modified_seconds, status.modified_nanoseconds) = (timeBefore.seconds, timeBefore.nanoseconds)
    if !keepsExisting, !writer.differences(from: entry, status).isEmpty {
      let mayChange =
        switch context.options.overwriting {
        case .never: false
        case .older: timeBefore < entry.modificationTime
        case .always, .metadata: true
        }
      guard mayChange else { return context.report.addKeptDirectory() }
      context.report.addUpdatedDirectory()
      if context.isDryRun { return }
      writer.write(entry)
      writer.writeFlags(entry)
    } else if hasNewTime, timeBefore == entry.modificationTime, !context.isDryRun {
      writer.writeTime(entry)
    }
  }
}
