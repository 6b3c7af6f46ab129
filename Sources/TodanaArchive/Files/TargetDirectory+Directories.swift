internal import CFileSystem
internal import Glibc

extension TargetDirectory {
  /// Makes a directory in this one, or opens the one that is there.
  ///
  /// A new one is nobody else's until ``finish(_:)``. What is there of another kind, such as a link to a directory, gives
  /// way if the options say so.
  ///
  /// - Throws: ``FileError/Code/linkInTheWay`` and ``FileError/Code/notADirectory`` where it does not.
  package func makeDirectory(_ entry: FileEntry) throws(FileError) -> TargetDirectory {
    guard entry.kind == .directory else {
      throw FileError(.makeDirectory, handle.path.bytes(of: entry.name), .badValue, detail: "not a directory")
    }
    do throws(FileError) {
      return try makeNewDirectory(entry.name)
    } catch {
      guard error.errorNumber == EEXIST, let status = try handle.status(of: entry.name) else { throw error }
      if status.mode & S_IFMT == S_IFDIR { return try openDirectory(entry.name, status) }
      guard mayReplace(status, entry) else {
        let isLink = status.mode & S_IFMT == S_IFLNK
        throw FileError(.makeDirectory, error.path, isLink ? .linkInTheWay : .notADirectory)
      }
      try handle.remove(entry.name)
      return try makeNewDirectory(entry.name)
    }
  }

  private func makeNewDirectory(_ name: [UInt8]) throws(FileError) -> TargetDirectory {
    _ = try unsafe handle.call(.makeDirectory, name) { unsafe tdf_make_directory($0, $1.baseAddress, $1.count) }
    return TargetDirectory(try handle.openDirectory(name), context, timeBefore: nil)
  }

  private func openDirectory(_ name: [UInt8], _ status: tdf_status) throws(FileError) -> TargetDirectory {
    // A directory that an earlier restoring left without permissions; it gets those of its entry in the end.
    let isClosed = status.mode & S_IRWXU != S_IRWXU && status.user_id == tdf_user_id() && !tdf_is_root()
    if isClosed, context.options.overwriting == .always {
      let file = try unsafe handle.call(.open, name) { unsafe tdf_open_handle($0, $1.baseAddress, $1.count) }
      // Without success, opening it says why.
      _ = tdf_set_permissions(file, status.mode | S_IRWXU)
      _ = tdf_close(file)
    }
    let directory = try handle.openDirectory(name, expecting: FileIdentity(status))
    return TargetDirectory(directory, context, timeBefore: .modification(status))
  }

  /// Gives this directory the metadata of an entry, when all that is in it was restored.
  ///
  /// One that was there before gets them if the options have it replaced. What cannot be set goes to the report.
  package func finish(_ entry: FileEntry) {
    let mayChange =
      switch context.options.overwriting {
      case .never: timeBefore == nil
      case .older: timeBefore.map { $0 < entry.modificationTime } ?? true
      case .always: true
      }
    guard mayChange else { return }
    MetadataWriter(file: handle.file, path: handle.path, context: context).write(entry)
  }

  /// Removes what earlier runs left under temporary names in this directory; what a living process writes stays.
  ///
  /// - Returns: How many there were. What cannot be removed goes to the report.
  /// - Complexity: O(*n*) in the names of the directory.
  @discardableResult
  package func removeLeftovers() throws(FileError) -> Int {
    var count = 0
    for name in try handle.names() where context.temporaryNames.isLeftover(name) {
      do throws(FileError) {
        guard let status = try handle.status(of: name), try !isInUse(name, status) else { continue }
        try handle.remove(name)
        count += 1
      } catch {
        context.report.add(error)
      }
    }
    return count
  }

  private func isInUse(_ name: [UInt8], _ status: tdf_status) throws(FileError) -> Bool {
    guard status.mode & S_IFMT != S_IFDIR else { return true }
    guard status.mode & S_IFMT == S_IFREG else { return false }
    let file = try unsafe handle.call(.open, name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    return tdf_try_lock(file) == -EWOULDBLOCK
  }
}
