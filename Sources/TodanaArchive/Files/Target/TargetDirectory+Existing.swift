internal import CFileSystem
internal import Glibc

/// How an entry other than a directory is restored, as far as names, sizes and times tell.
package enum Placement: Sendable, Hashable {
  /// Nothing has the name: it is made.
  case isNew
  /// The existing file is replaced.
  case replaces
  /// The existing file has the same kind, size and time, and nothing more is compared.
  case isRight
  /// The existing regular file has the same size and time: its content is compared, then its metadata.
  case comparesContent
  /// The existing file counts as having the right content: its metadata is compared and set.
  case setsMetadata
  /// The existing regular file has other content, which it keeps: it gets the metadata that does not belong to it.
  case setsOtherMetadata
  /// The existing file stays as it is.
  case keeps
}

extension TargetDirectory {
  /// Chooses how an entry other than a directory is restored.
  ///
  /// Making it checks again.
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

  /// Returns whether an entry's name is that of a file of the same kind, size and modification time; for links and devices
  /// also of the same target and numbers.
  ///
  /// Data, permissions, owners and attributes are not compared. False if there is no such file.
  package func isRight(_ entry: FileEntry) throws(FileError) -> Bool {
    guard let status = try handle.status(of: entry.name) else { return false }
    return try likeness(entry, status) == .same
  }

  private enum Likeness {
    /// Kind, size or target, and time.
    case same
    /// All but the time; not of regular files, whose time stands for their content.
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

  /// Returns what has a name, with its metadata; nil if nothing has it.
  package func existing(_ name: [UInt8]) throws(FileError) -> FileEntry? {
    do throws(FileError) {
      return try SourceDirectory(handle, context.owners).entry(named: name) { context.report.add($0) }
    } catch {
      guard error.code == .vanished else { throw error }
      return nil
    }
  }

  /// Returns which file has a name, and how many names it has; nil if nothing has it.
  package func identity(of name: [UInt8]) throws(FileError) -> (identity: FileIdentity, linkCount: UInt64)? {
    try handle.status(of: name).map { (FileIdentity($0), $0.link_count) }
  }

  /// Returns whether an existing file is replaced by a different entry.
  func mayReplace(_ status: tdf_status, _ entry: FileEntry) -> Bool {
    switch context.options.overwriting {
    case .never, .metadata: false
    case .older: .modification(status) < entry.modificationTime
    case .always: true
    }
  }
}

extension TargetDirectory {
  /// Removes files and directories that earlier runs left under temporary names in this directory; those that a living
  /// process writes stay.
  ///
  /// - Returns: How many there were. What cannot be removed goes to the report.
  /// - Complexity: O(*n*) in the names of the directory.
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
