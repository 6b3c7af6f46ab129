internal import CFileSystem
internal import Glibc

/// The way to restore an entry other than a directory, chosen by names, sizes and times.
package enum Placement: Sendable, Hashable {
  /// No file has the name; the entry is created.
  case isNew
  /// The existing file is replaced.
  case replaces
  /// The existing file has the same kind, size and time; nothing else is compared.
  case isRight
  /// The existing regular file has the same size and time; its content is compared, then its metadata.
  case comparesContent
  /// The existing file counts as having the entry's content; its metadata is compared and set.
  case setsMetadata
  /// The existing regular file keeps its different content, and gets the metadata that does not depend on content.
  case setsOtherMetadata
  /// The existing file stays unchanged.
  case keeps
}

extension TargetDirectory {
  /// Chooses the way to restore an entry other than a directory.
  ///
  /// Restoring the entry checks the existing file again.
  package func placement(of entry: FileEntry) throws(FileError) -> Placement {
    guard let status = try handle.status(of: entry.name) else { return .isNew }
    let likeness = try likeness(entry, status)
    switch context.options.overwriting {
    case .never, .older:
      if likeness == .same { return .isRight }
      return mayReplace(status, entry) ? .replaces : .keeps
    case .always:
      switch likeness {
      case .same where entry.kind == .regular: return .comparesContent
      case .same, .sameContent: return .setsMetadata
      case .sameKind, .other: return .replaces
      }
    case .metadata:
      switch likeness {
      case .same, .sameContent: return .setsMetadata
      case .sameKind: return entry.kind == .regular ? .setsOtherMetadata : .keeps
      case .other: return .keeps
      }
    }
  }

  /// Tests whether an entry's name belongs to a file of the same kind, size and modification time.
  ///
  /// For links the target, and for devices the numbers, must be equal, too. Data, permissions, owners and attributes
  /// are not compared. Returns false if there is no such file.
  package func isRight(_ entry: FileEntry) throws(FileError) -> Bool {
    guard let status = try handle.status(of: entry.name) else { return false }
    return try likeness(entry, status) == .same
  }

  /// The similarity of an existing file to an entry.
  private enum Likeness {
    /// The kind, the size or target, and the time are equal.
    case same
    /// All but the time is equal; never used for regular files, whose time stands for their content.
    case sameContent
    case sameKind
    case other
  }

  private func likeness(_ entry: FileEntry, _ status: tdf_status) throws(FileError) -> Likeness {
    let kind = status.mode & S_IFMT
    let hasTime = .modification(status) == entry.modificationTime
    switch entry.kind {
    case .directory: return kind == S_IFDIR ? .same : .other
    case .regular:
      guard kind == S_IFREG else { return .other }
      return hasTime && status.byte_count == entry.byteCount ? .same : .sameKind
    case .symbolicLink:
      guard kind == S_IFLNK else { return .other }
      guard try existing(entry.name)?.kind == entry.kind else { return .sameKind }
    case .fifo: if kind != S_IFIFO { return .other }
    case .socket: if kind != S_IFSOCK { return .other }
    case .characterDevice(let major, let minor):
      guard kind == S_IFCHR else { return .other }
      guard status.special_major == major, status.special_minor == minor else { return .sameKind }
    case .blockDevice(let major, let minor):
      guard kind == S_IFBLK else { return .other }
      guard status.special_major == major, status.special_minor == minor else { return .sameKind }
    }
    return hasTime ? .same : .sameContent
  }

  /// Returns the metadata of an existing file; nil if no file has the name.
  package func existing(_ name: [UInt8]) throws(FileError) -> FileEntry? {
    do throws(FileError) {
      return try SourceDirectory(handle, context.owners).entry(named: name) { context.report.add($0) }
    } catch {
      guard error.code == .vanished else { throw error }
      return nil
    }
  }

  /// Returns the identity of an existing file and its number of names; nil if no file has the name.
  package func identity(of name: [UInt8]) throws(FileError) -> (identity: FileIdentity, linkCount: UInt64)? {
    try handle.status(of: name).map { (FileIdentity($0), $0.link_count) }
  }

  /// Tests whether the options allow a different entry to replace an existing file.
  func mayReplace(_ status: tdf_status, _ entry: FileEntry) -> Bool {
    switch context.options.overwriting {
    case .never, .metadata: false
    case .older: .modification(status) < entry.modificationTime
    case .always: true
    }
  }
}

extension TargetDirectory {
  /// Removes files and directories that earlier runs left under temporary names in this directory.
  ///
  /// Files and directories that a running process has locked stay.
  ///
  /// - Returns: The number of removed leftovers. Leftovers that cannot be removed are added to the report.
  /// - Complexity: O(*n*) in the number of names in the directory.
  @discardableResult
  package func removeLeftovers() throws(FileError) -> Int {
    var count = 0
    for name in try handle.names() where context.temporaryNames.isLeftover(name) {
      do throws(FileError) {
        guard let status = try handle.status(of: name) else { continue }
        if status.mode & S_IFMT == S_IFDIR {
          if removeTemporaryDirectory(name) { count += 1 }
          continue
        }
        if try isInUse(name, status) { continue }
        try handle.remove(name)
        count += 1
      } catch {
        context.report.add(error)
      }
    }
    return count
  }

  private func isInUse(_ name: [UInt8], _ status: tdf_status) throws(FileError) -> Bool {
    guard status.mode & S_IFMT == S_IFREG else { return false }
    let file = try unsafe handle.call(.open, name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    return tdf_try_lock(file) == -EWOULDBLOCK
  }
}
