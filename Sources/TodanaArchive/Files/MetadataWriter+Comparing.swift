internal import CFileSystem
internal import Glibc

/// Metadata in which a file is different from its entry.
struct MetadataDifference: OptionSet {
  let rawValue: Int

  static let owner = MetadataDifference(rawValue: 1)
  static let permissions = MetadataDifference(rawValue: 2)
  static let attributes = MetadataDifference(rawValue: 4)
  static let time = MetadataDifference(rawValue: 8)
  static let flags = MetadataDifference(rawValue: 16)
}

extension MetadataWriter {
  /// Returns what ``write(_:)`` and ``writeFlags(_:)`` would change.
  ///
  /// Owners that may not be set are no difference, and go to the report.
  func differences(from entry: FileEntry, _ status: tdf_status) -> MetadataDifference {
    var differences: MetadataDifference = []
    var status = status
    let (userID, groupID) = numbers(of: entry.owner)
    if status.user_id != userID || status.group_id != groupID {
      if setsOwners {
        differences.insert(.owner)
        (status.user_id, status.group_id) = (userID, groupID)
      } else {
        context.report.addSkippedOwner(path)
      }
    }
    if !entry.isSymbolicLink, permissions(of: entry, status) != status.mode & 0o7777 {
      differences.insert(.permissions)
    }
    if hasOtherAttributes(entry) { differences.insert(.attributes) }
    if hasContent, .modification(status) != entry.modificationTime { differences.insert(.time) }
    if lacksFlags(of: entry) { differences.insert(.flags) }
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
