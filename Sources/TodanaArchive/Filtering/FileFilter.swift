/// A filter that decides which files of a directory tree belong in a snapshot, for a caller that walks the tree.
///
/// A filter has no access to files; the walk passes the necessary data. Each root needs its own filter. The root itself
/// always belongs in the snapshot.
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
/// Rules have the same precedence as in Git: first the command line, then the `.todanaignore` of the deepest directory,
/// then the files of its ancestors. Within each of these, the last matching rule decides.
///
/// Not thread-safe.
public struct FileFilter: Sendable {
  /// The name of the files with patterns for their directories.
  public static let ignoreFileName = Array(".todanaignore".utf8)

  /// Files found in a directory that decide which of its other files are left out.
  public struct DirectoryMarkers: Sendable {
    /// The content of ``FileFilter/ignoreFileName``, if that is a regular file.
    public var ignoreFile: [UInt8]?
    /// The first bytes of the ``CacheDirectoryTag``, if that is a regular file; only needed for `--exclude-caches`.
    public var cacheTag: [UInt8]?
    /// The first of ``FilterOptions/markerNames`` that exists in the directory.
    public var presentName: [UInt8]?

    public init(ignoreFile: [UInt8]? = nil, cacheTag: [UInt8]? = nil, presentName: [UInt8]? = nil) {
      self.ignoreFile = ignoreFile
      self.cacheTag = cacheTag
      self.presentName = presentName
    }
  }

  /// A directory that was entered and not left.
  struct Level: Sendable {
    /// The length of its path within ``FileFilter/path``.
    var pathByteCount: Int
    /// The rules of its `.todanaignore`; nil if it has none.
    var patterns: PatternList?
    var mark: Mark?
  }

  /// A marker file: all other files in its directory are left out.
  struct Mark: Sendable {
    var name: [UInt8]
    var reason: FileDecision.Reason
  }

  /// The rules and limits that the filter applies.
  public let options: FilterOptions
  /// The device of the root (`st_dev`).
  let device: UInt64
  let furtherDevices: Set<UInt64>
  /// The path of the current directory from the root; while a name is tested, it is appended.
  var path: [UInt8] = []
  /// The directories from the root to the current one, including both.
  var levels: [Level] = []

  /// Creates a filter whose current directory is the root.
  ///
  /// - Parameters:
  ///   - options: The rules and limits to apply.
  ///   - device: The device of the root (`st_dev`).
  ///   - furtherDevices: Other devices with files to include if ``FilterOptions/staysOnFileSystem`` is set.
  ///   - markers: The marker files found in the root.
  public init(
    _ options: FilterOptions, device: UInt64, furtherDevices: Set<UInt64> = [],
    markers: DirectoryMarkers = DirectoryMarkers()
  ) {
    self.options = options
    self.device = device
    self.furtherDevices = furtherDevices
    push(markers)
  }

  /// Enters a subdirectory of the current directory.
  ///
  /// - Parameters:
  ///   - name: The name of the directory; must not be empty or contain a slash.
  ///   - markers: The marker files found in the directory.
  public mutating func enter(_ name: [UInt8], markers: DirectoryMarkers = DirectoryMarkers()) {
    precondition(!name.isEmpty && !name.contains(UInt8(ascii: "/")), "A name to enter is empty or has a slash.")
    if !path.isEmpty { path.append(UInt8(ascii: "/")) }
    path.append(contentsOf: name)
    push(markers)
  }

  /// Goes back to the parent directory; must follow ``enter(_:markers:)``.
  public mutating func leave() {
    precondition(levels.count > 1, "leave() without enter().")
    levels.removeLast()
    path.removeSubrange(levels[levels.count - 1].pathByteCount...)
  }

  /// The path of the current directory from the root; empty for the root.
  public var directory: [UInt8] { path }

  /// Rules in the `.todanaignore` of the current directory that can never match, for a warning.
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
  /// Decides whether an entry of the current directory belongs in the snapshot.
  ///
  /// - Parameters:
  ///   - name: The name of the entry; not empty, and without a slash.
  ///   - isDirectory: Whether it is a directory; false for a symbolic link to one.
  ///   - size: The length of a regular file in bytes; nil for any other kind, which has no size limit.
  ///   - device: The device of the entry (`st_dev`).
  /// - Returns: The decision, with the reason if something is left out.
  public mutating func decision(name: Span<UInt8>, isDirectory: Bool, size: Int?, device: UInt64) -> FileDecision {
    // The level of the root always exists.
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

  /// Decides whether an entry belongs in the snapshot; see
  /// ``decision(name:isDirectory:size:device:)-(Span<UInt8>,_,_,_)``.
  public mutating func decision(name: [UInt8], isDirectory: Bool, size: Int?, device: UInt64) -> FileDecision {
    decision(name: name.span, isDirectory: isDirectory, size: size, device: device)
  }

  /// Applies the rules of the command line, then the rules of each directory from the deepest to the root.
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
      // Paths in the root have no slash before their first component.
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

/// The decision whether an entry belongs in a snapshot.
public enum FileDecision: Sendable, Hashable {
  /// The entry is included; a directory must be entered.
  case include
  /// The directory is included without its content, and must not be entered.
  case includeWithoutContent(Reason)
  /// The entry is left out with all its content; a directory must not be entered.
  case exclude(Reason)

  /// The reason why an entry is left out.
  @nonexhaustive
  public enum Reason: Sendable, Hashable, CustomStringConvertible {
    /// The last matching rule excludes the entry.
    case rule(PatternRule)
    /// The entry is in a directory with a ``CacheDirectoryTag``.
    case cacheDirectory
    /// The entry is in a directory that contains a file of this name.
    case markedDirectory([UInt8])
    /// The entry is the archive to which the snapshot is added.
    case archive
    /// The entry is a regular file larger than this limit.
    case largerThan(ByteSize)
    /// The entry is on another device than the root.
    case otherFileSystem

    /// The reason for messages, such as `excluded by “*.o” (src/.todanaignore, line 3)`.
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

/// A file that marks its directory as a cache, whose content can be created again and need not be archived.
///
/// Source: the Cache Directory Tagging Specification, https://bford.info/cachedir/.
public enum CacheDirectoryTag {
  /// The name of the file.
  public static let fileName = Array("CACHEDIR.TAG".utf8)

  /// The bytes at the beginning of the file; only these have to be read.
  public static let signature = Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)

  /// Tests whether a regular file named ``fileName`` that begins with these bytes is a tag.
  public static func isTag(beginningWith bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }
}
