internal import CFileSystem
internal import Glibc

/// The result of updating an existing file's metadata.
package enum MetadataUpdate: Sendable, Hashable {
  /// The metadata was already equal.
  case wasRight
  /// The metadata was set, or would be in a dry run.
  case set
  /// The metadata differs, but must not be set in place; the caller has to make a new file.
  ///
  /// Either the file may have names outside of the target, or another user may have chosen its content.
  case needsNewFile
}

extension TargetDirectory {
  /// Opens an existing regular file for reading.
  ///
  /// - Throws: ``FileError/Code/changed`` if the file has another kind.
  func openExistingFile(_ name: [UInt8]) throws(FileError) -> SourceFile {
    let file = try unsafe handle.call(.open, name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
    return try SourceFile(file, EntryPath(name, in: handle.path))
  }

  /// Compares an existing file's metadata with its entry, and sets it if it differs.
  ///
  /// A file with several names is not changed unless the caller knows all of them, as one may be outside of the target.
  /// Metadata that cannot be set is added to the report.
  ///
  /// - Parameters:
  ///   - entry: The name and the metadata; the file must have the same kind.
  ///   - hasContent: Whether the file has the entry's content; see ``MetadataWriter/hasContent``.
  ///   - prefersNewFile: Whether to return ``MetadataUpdate/needsNewFile`` if the file would get both a new owner and
  ///     privileges (setuid, setgid, capabilities). Its present owner may have it open for writing.
  ///   - knowsAllNames: Whether all names of the file are in the target.
  /// - Returns: The result: metadata equal, set, or not to be set in place.
  /// - Throws: ``FileError/Code/changed`` if the file has another kind.
  package func updateMetadata(
    _ entry: FileEntry, hasContent: Bool = true, prefersNewFile: Bool = false, knowsAllNames: Bool = false
  ) throws(FileError) -> MetadataUpdate {
    let file = try unsafe handle.call(.open, entry.name) { unsafe tdf_open_handle($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    let path = EntryPath(entry.name, in: handle.path)
    var status = tdf_status()
    let result = unsafe tdf_get_status(file, &status)
    guard result == 0 else { throw FileError(.readStatus, path.bytes, errorNumber: -result) }
    guard status.mode & S_IFMT == entry.kindOfMode else { throw FileError(.readStatus, path.bytes, .changed) }
    let writer = MetadataWriter(file: file, path: path, context: context, hasContent: hasContent)
    let differences = writer.differences(from: entry, status)
    if differences.isEmpty { return .wasRight }
    if status.link_count > 1, !knowsAllNames { return .needsNewFile }
    if prefersNewFile, entry.hasPrivileges, differences.contains(.owner) { return .needsNewFile }
    if context.isDryRun { return .set }
    writer.write(entry)
    writer.writeFlags(entry)
    return .set
  }

  /// Returns an error of this directory, with a note if the directory or the named file is immutable or append-only.
  ///
  /// Only `EPERM` errors without a detail get the note.
  func explained(_ error: FileError, _ name: [UInt8]) -> FileError {
    guard error.errorNumber == EPERM, error.detail == nil else { return error }
    let directory = MetadataWriter(file: handle.file, path: handle.path, context: context).lockingFlags()
    if !directory.isEmpty { return error.with(detail: "the directory is \(directory)") }
    guard
      let file = try? unsafe handle.call(.open, name, { unsafe tdf_open_handle($0, $1.baseAddress, $1.count) })
    else { return error }
    defer { _ = tdf_close(file) }
    let flags = MetadataWriter(file: file, path: handle.path, context: context).lockingFlags()
    return flags.isEmpty ? error : error.with(detail: "it is \(flags)")
  }
}

extension FileEntry {
  /// The kind as the bits that the system uses in a file's mode.
  var kindOfMode: UInt32 {
    switch kind {
    case .regular: S_IFREG
    case .directory: S_IFDIR
    case .symbolicLink: S_IFLNK
    case .fifo: S_IFIFO
    case .socket: S_IFSOCK
    case .characterDevice: S_IFCHR
    case .blockDevice: S_IFBLK
    }
  }
}

/// The kinds of metadata in which a file differs from its entry.
struct MetadataDifference: OptionSet {
  let rawValue: Int

  static let owner = MetadataDifference(rawValue: 1)
  static let permissions = MetadataDifference(rawValue: 2)
  static let attributes = MetadataDifference(rawValue: 4)
  static let time = MetadataDifference(rawValue: 8)
  static let flags = MetadataDifference(rawValue: 16)
}

extension MetadataWriter {
  /// Returns the kinds of metadata that ``write(_:)`` and ``writeFlags(_:)`` would change.
  ///
  /// An owner that may not be set counts as equal. It is reported once for each file, unless the options leave owners
  /// out.
  func differences(from entry: FileEntry, _ status: tdf_status) -> MetadataDifference {
    var differences: MetadataDifference = []
    var status = status
    let (userID, groupID) = numbers(of: entry.owner)
    let hasOtherOwner = status.user_id != userID || status.group_id != groupID
    if hasOtherOwner, setsOwners {
      differences.insert(.owner)
      (status.user_id, status.group_id) = (userID, groupID)
    }
    if !entry.isSymbolicLink, permissions(of: entry, status) != status.mode & 0o7777 {
      differences.insert(.permissions)
    }
    if hasOtherAttributes(entry) { differences.insert(.attributes) }
    if hasContent, .modification(status) != entry.modificationTime { differences.insert(.time) }
    if lacksFlags(of: entry) { differences.insert(.flags) }
    // If there are other differences, writing them reports the owner.
    let isReportedHere = differences.isEmpty || context.isDryRun
    if hasOtherOwner, !setsOwners, context.options.owners != .own, isReportedHere {
      context.report.addSkippedOwner(path)
    }
    return differences
  }

  private func hasOtherAttributes(_ entry: FileEntry) -> Bool {
    let reader = EntryReader(file: file, path: path, owners: context.owners)
    func isCompared(_ attribute: ExtendedAttribute) -> Bool { hasContent || !attribute.isCapability }
    let wanted = Set(entry.attributes.filter(isCompared))
    let names = Set(wanted.map(\.name))
    let found = reader.attributes { context.report.add($0) }
    return Set(found.filter { names.contains($0.name) || isOfContent($0.name) }) != wanted
  }

  private func lacksFlags(of entry: FileEntry) -> Bool {
    if entry.flags.isEmpty { return false }
    var flags: UInt32 = 0
    let result = unsafe tdf_get_flags(file, &flags)
    let missing = entry.flags.subtracting(result == 0 ? FileFlags(rawValue: flags) : [])
    return !missing.isEmpty
  }
}
