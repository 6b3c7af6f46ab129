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

extension FileFilter {
  /// Whether something in the directory entered last belongs into the snapshot.
  ///
  /// - Parameters:
  ///   - name: Not empty, and without a slash.
  ///   - isDirectory: A symbolic link to a directory is none.
  ///   - size: Bytes of a regular file; nil for anything else, which is never too large.
  ///   - device: What it is on: `st_dev`.
  /// - Returns: What to do, and why something is left out.
  public mutating func decision(name: Span<UInt8>, isDirectory: Bool, size: Int?, device: UInt64) -> FileDecision {
    // There is a level at least: that of the root.
    let level = levels[levels.count - 1]
    if let mark = level.mark, isDirectory || !Self.equal(name, mark.name.span) { return .exclude(mark.reason) }
    if case .excluded(let rule) = verdict(name, isDirectory: isDirectory) { return .exclude(.rule(rule)) }
    if options.staysOnFileSystem, device != self.device, !furtherDevices.contains(device) {
      return isDirectory ? .includeWithoutContent(.otherFileSystem) : .exclude(.otherFileSystem)
    }
    if let limit = options.largestFile, let size, !isDirectory, size > limit.byteCount {
      return .exclude(.largerThan(limit))
    }
    return .include
  }

  /// See ``decision(name:isDirectory:size:device:)-(Span<UInt8>,_,_,_)``.
  public mutating func decision(name: [UInt8], isDirectory: Bool, size: Int?, device: UInt64) -> FileDecision {
    decision(name: name.span, isDirectory: isDirectory, size: size, device: device)
  }

  /// What the rules say: the command line's, then from the deepest directory up.
  private mutating func verdict(_ name: Span<UInt8>, isDirectory: Bool) -> PatternList.Verdict {
    let directoryByteCount = path.count
    defer { path.removeSubrange(directoryByteCount...) }
    if directoryByteCount > 0 { path.append(UInt8(ascii: "/")) }
    let nameStart = path.count
    for index in name.indices { path.append(name[index]) }

    let span = path.span
    var verdict = options.rules.verdict(span, from: 0, nameStart: nameStart, isDirectory: isDirectory)
    var index = levels.count
    while verdict == .undecided, index > 0 {
      index -= 1
      guard let patterns = levels[index].patterns else { continue }
      // What lies in the root has no slash before it.
      let start = index == 0 ? 0 : levels[index].pathByteCount + 1
      verdict = patterns.verdict(span, from: start, nameStart: nameStart, isDirectory: isDirectory)
    }
    return verdict
  }

  private static func equal(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.indices where one[index] != other[index] { return false }
    return true
  }
}

/// Whether something belongs into a snapshot.
public enum FileDecision: Sendable, Hashable {
  case include
  /// The directory belongs into it, and nothing that lies in it; it is not to be entered.
  case includeWithoutContent(Reason)
  /// It is left out, and so is all that lies in it; it is not to be entered.
  case exclude(Reason)

  /// Why something is left out.
  @nonexhaustive
  public enum Reason: Sendable, Hashable, CustomStringConvertible {
    /// The rule that decided.
    case rule(PatternRule)
    /// It lies in a directory with a ``CacheDirectoryTag``.
    case cacheDirectory
    /// It lies in a directory with something of this name.
    case markedDirectory([UInt8])
    /// It is the archive that the snapshot is for.
    case archive
    /// It has more bytes than the limit.
    case largerThan(ByteSize)
    /// It lies on another device than the root.
    case otherFileSystem

    /// For `--dry-run --verbose`: `excluded by “*.o” (src/.todanaignore, line 3)`.
    public var description: String {
      switch self {
      case .rule(let rule): "excluded by \(rule)"
      case .cacheDirectory: "in a cache directory (--exclude-caches)"
      case .markedDirectory(let name): "in a directory with “\(printable(name))” (--exclude-if-present)"
      case .archive: "the archive itself"
      case .largerThan(let limit): "larger than \(limit) (--exclude-larger-than)"
      case .otherFileSystem: "on another file system (--one-file-system)"
      }
    }
  }
}

/// The file that says that what lies beside it can be made again, and need not be kept.
///
/// Source: the Cache Directory Tagging Specification, https://bford.info/cachedir/.
public enum CacheDirectoryTag {
  /// The name that it has.
  public static let fileName = Array("CACHEDIR.TAG".utf8)

  /// What it begins with; how many bytes of it have to be read.
  public static let signature = Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)

  /// Whether a regular file of that name with such a beginning is a tag.
  public static func isTag(beginningWith bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }
}
