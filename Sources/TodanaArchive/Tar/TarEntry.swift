/// One thing in a tar stream: where it is, and all that tar says of it, without its data.
///
/// What was read may be hostile: the path may be absolute, have ".." in it, or be empty. Who makes files looks at it.
package struct TarEntry: Sendable, Hashable {
  /// The whole path, in bytes, without "/" behind that of a directory.
  package var path: [UInt8]
  /// With the last step of ``path`` as its name.
  ///
  /// A tar has neither identity nor number of names: they are 0 and 1. A change time that is not in it is 0.
  package var entry: FileEntry
  /// The path of an earlier entry of which this is another name.
  ///
  /// Such an entry has data in a few old tars only. Of what kind it is tar does not say; a regular file stands here.
  package var hardLinkTarget: [UInt8]?
  /// Where a sparse file has data, in order; the rest reads as zeros.
  ///
  /// Nil for a file that has data throughout, and for what is no file.
  package var dataRanges: [Range<Int64>]?
  /// Whether it is the rest of a file whose beginning is in another volume.
  package var isContinued = false
  /// What of it tar, or this library, could not make sense of; the rest holds.
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

  /// Whether data follow it.
  var hasData: Bool { entry.kind == .regular && hardLinkTarget == nil }
}
