/// The decision which files of a directory tree belong into a snapshot, for a caller that walks the tree.
///
/// A filter has no access to files: the walk passes in what it finds. One filter is for one root; the root itself always
/// belongs into the snapshot.
///
/// ```swift
/// var filter = FileFilter(options, device: root.device, markers: markers(of: root))
/// func walk(_ directory: Directory) {
///   for entry in directory {
///     switch filter.decision(
///       name: entry.name, isDirectory: entry.isDirectory, size: entry.byteCount, device: entry.device)
///     {
///     case .include where entry.isDirectory:
///       filter.enter(entry.name, markers: markers(of: entry))
///       walk(entry)
///       filter.leave()
///     …
/// ```
///
/// Rules go before one another as in Git: those of the command line first, then the `.todanaignore` of the deepest
/// directory, then those of the directories above; within each the last that matches decides.
///
/// A value for one thread.
public struct FileFilter: Sendable {
  /// The name of the files with patterns for their directories.
  public static let ignoreFileName = Array(".todanaignore".utf8)

  /// What the walk found in a directory before it asks about what else lies there.
  public struct DirectoryMarkers: Sendable {
    /// The content of its ``FileFilter/ignoreFileName``, if it is a regular file.
    public var ignoreFile: [UInt8]?
    /// The first bytes of its ``CacheDirectoryTag``, if it is a regular file; needed for `--exclude-caches` only.
    public var cacheTag: [UInt8]?
    /// The first of ``FilterOptions/markerNames`` that is in the directory.
    public var presentName: [UInt8]?

    public init(ignoreFile: [UInt8]? = nil, cacheTag: [UInt8]? = nil, presentName: [UInt8]? = nil) {
      self.ignoreFile = ignoreFile
      self.cacheTag = cacheTag
      self.presentName = presentName
    }
  }

  /// A directory that was entered and not left.
  struct Level: Sendable {
    /// How much of ``FileFilter/path`` leads to it.
    var pathByteCount: Int
    /// Of its `.todanaignore`; nil where there is none.
    var patterns: PatternList?
    var mark: Mark?
  }

  /// A file that has all others of its directory left out.
  struct Mark: Sendable {
    var name: [UInt8]
    var reason: FileDecision.Reason
  }

  public let options: FilterOptions
  /// The device that the root is on: `st_dev`.
  let device: UInt64
  let furtherDevices: Set<UInt64>
  /// The path of the directory entered last, from the root; a name is put behind it while it is asked for.
  var path: [UInt8] = []
  /// The root, then each directory on the way to the one entered last.
  var levels: [Level] = []

  /// At the root.
  ///
  /// - Parameters:
  ///   - options: What is left out, and taken back.
  ///   - device: The device that the root is on: `st_dev`.
  ///   - furtherDevices: Other devices whose files are included with ``FilterOptions/staysOnFileSystem``.
  ///   - markers: What the walk found in the root.
  public init(
    _ options: FilterOptions, device: UInt64, furtherDevices: Set<UInt64> = [],
    markers: DirectoryMarkers = DirectoryMarkers()
  ) {
    self.options = options
    self.device = device
    self.furtherDevices = furtherDevices
    push(markers)
  }

  /// The walk goes into a directory of the one entered last.
  ///
  /// - Parameters:
  ///   - name: Not empty, and without a slash.
  ///   - markers: What the walk found in the directory.
  public mutating func enter(_ name: [UInt8], markers: DirectoryMarkers = DirectoryMarkers()) {
    precondition(!name.isEmpty && !name.contains(UInt8(ascii: "/")), "A name to enter is empty or has a slash.")
    if !path.isEmpty { path.append(UInt8(ascii: "/")) }
    path.append(contentsOf: name)
    push(markers)
  }

  /// The walk goes back to the directory above.
  public mutating func leave() {
    precondition(levels.count > 1, "leave() without enter().")
    levels.removeLast()
    path.removeSubrange(levels[levels.count - 1].pathByteCount...)
  }

  /// The path of the directory entered last, from the root; empty for the root.
  public var directory: [UInt8] { path }

  /// Patterns in the `.todanaignore` of the directory entered last that match nothing: worth a warning.
  public var flawedRules: [PatternRule] { levels.last?.patterns?.flawedRules ?? [] }

  private mutating func push(_ markers: DirectoryMarkers) {
    var patterns: PatternList?
    if options.readsIgnoreFiles, let content = markers.ignoreFile {
      let filePath = path.isEmpty ? Self.ignoreFileName : path + [UInt8(ascii: "/")] + Self.ignoreFileName
      var list = PatternList(directory: path)
      list.append(lines: content, of: filePath)
      if !list.rules.isEmpty { patterns = list }
    }
    levels.append(Level(pathByteCount: path.count, patterns: patterns, mark: mark(markers)))
  }

  private func mark(_ markers: DirectoryMarkers) -> Mark? {
    if let name = markers.presentName { return Mark(name: name, reason: .markedDirectory(name)) }
    guard options.excludesCaches, let tag = markers.cacheTag, CacheDirectoryTag.isTag(beginningWith: tag) else {
      return nil
    }
    return Mark(name: CacheDirectoryTag.fileName, reason: .cacheDirectory)
  }
}
