internal import CFileSystem
internal import Glibc

/// What is to be done about an entry, as far as one can tell before.
package enum Placement: Sendable, Hashable {
  /// Nothing is there.
  case isNew
  /// What is there is to be replaced.
  case replaces
  /// What is there is the same kind, of the same size and time.
  case isRight
  /// What is there is to stay.
  case keeps
}

extension TargetDirectory {
  /// What is to be done about an entry other than a directory.
  ///
  /// Making it looks again.
  package func placement(of entry: FileEntry) throws(FileError) -> Placement {
    guard let status = try handle.status(of: entry.name) else { return .isNew }
    if try isRight(entry, status) { return .isRight }
    return mayReplace(status, entry) ? .replaces : .keeps
  }

  /// Whether what is there under an entry's name is of the same kind, size and modification time; for links and devices
  /// also of the same target and numbers.
  ///
  /// Data, permissions, owners and attributes are not compared. False where nothing is there.
  package func isRight(_ entry: FileEntry) throws(FileError) -> Bool {
    guard let status = try handle.status(of: entry.name) else { return false }
    return try isRight(entry, status)
  }

  private func isRight(_ entry: FileEntry, _ status: tdf_status) throws(FileError) -> Bool {
    let kind = status.mode & S_IFMT
    if case .directory = entry.kind { return kind == S_IFDIR }
    guard .modification(status) == entry.modificationTime else { return false }
    switch entry.kind {
    case .regular: return kind == S_IFREG && status.byte_count == entry.byteCount
    case .directory: return kind == S_IFDIR
    case .symbolicLink:
      guard kind == S_IFLNK else { return false }
      return try existing(entry.name)?.kind == entry.kind
    case .fifo: return kind == S_IFIFO
    case .socket: return kind == S_IFSOCK
    case .characterDevice(let major, let minor):
      return kind == S_IFCHR && status.special_major == major && status.special_minor == minor
    case .blockDevice(let major, let minor):
      return kind == S_IFBLK && status.special_major == major && status.special_minor == minor
    }
  }

  /// What is there under a name, with its metadata; nil where nothing is.
  package func existing(_ name: [UInt8]) throws(FileError) -> FileEntry? {
    do throws(FileError) {
      return try SourceDirectory(handle, context.owners).entry(named: name) { context.report.add($0) }
    } catch {
      guard error.code == .vanished else { throw error }
      return nil
    }
  }

  /// Whether the options have something give way to an entry.
  func mayReplace(_ status: tdf_status, _ entry: FileEntry) -> Bool {
    switch context.options.overwriting {
    case .never: false
    case .older: .modification(status) < entry.modificationTime
    case .always: true
    }
  }
}
