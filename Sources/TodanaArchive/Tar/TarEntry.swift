/// An entry of a tar stream: its path and metadata, without its data.
///
/// An entry that was read may be hostile: its path may be absolute, contain "..", or be empty. Code that creates files
/// must check it.
package struct TarEntry: Sendable, Hashable {
  /// The whole path, in bytes, without a slash at the end of a directory's path.
  package var path: [UInt8]
  /// The metadata; the name is the last component of ``path``.
  ///
  /// A tar has neither identities nor link counts: they are 0 and 1. A missing change time is 0.
  package var entry: FileEntry
  /// The path of an earlier entry that this one is a hard link to.
  ///
  /// Only a few old tars have data for such an entry. Tars do not give its kind, so the entry is a regular file.
  package var hardLinkTarget: [UInt8]?
  /// The data ranges of a sparse file, in order; the rest is zeros.
  ///
  /// Nil for a file without holes, and for an entry other than a file.
  package var dataRanges: [Range<Int64>]?
  /// Whether the entry is the rest of a file whose beginning is in another volume.
  package var isContinued = false
  /// A message about a part of the entry that could not be interpreted; the rest is valid.
  package var warning: String?

  package init(
    path: [UInt8], entry: FileEntry, hardLinkTarget: [UInt8]? = nil, dataRanges: [Range<Int64>]? = nil,
    warning: String? = nil
  ) {
    self.path = path
    self.entry = entry
    self.hardLinkTarget = hardLinkTarget
    self.dataRanges = dataRanges
    self.warning = warning
  }

  /// Whether data follow the entry.
  var hasData: Bool { entry.kind == .regular && hardLinkTarget == nil }
}
