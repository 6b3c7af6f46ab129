/// The target of an extraction, which a dry run only reads.
enum ExtractionTarget {
  case tree(TargetTree)
  case survey(TargetSurvey)

  /// Opens or creates the target.
  ///
  /// - Parameters:
  ///   - path: The path of the target.
  ///   - options: The options of the extraction.
  ///   - report: Receives warnings.
  ///   - excluded: The archive's own directory.
  ///   - openLimit: The maximum number of open directories.
  ///   - givesRootMetadata: Whether ``finishRoot(_:)`` will be called.
  /// - Throws: ``FileError`` if the target cannot be opened or created.
  init(
    _ path: [UInt8], _ options: ExtractOptions, _ report: RestoreReport, excluded: FileIdentity?, openLimit: Int,
    givesRootMetadata: Bool
  ) throws(FileError) {
    if options.isDryRun {
      let root = try TargetDirectory.openForDryRun(
        path, options: options.restoring, report: report, excluded: excluded)
      self = .survey(TargetSurvey(root, openLimit: openLimit))
    } else {
      let root = try TargetDirectory.open(path, options: options.restoring, report: report, excluded: excluded)
      try root.removeLeftovers()
      if givesRootMetadata, root.origin == .made { try root.addMarker() }
      self = .tree(TargetTree(root, openLimit: openLimit))
    }
  }

  mutating func enter(_ entry: FileEntry) throws(FileError) -> TargetDirectory.Origin {
    switch self {
    case .tree(var tree):
      defer { self = .tree(tree) }
      return try tree.enter(entry)
    case .survey(var survey):
      defer { self = .survey(survey) }
      return try survey.enter(entry)
    }
  }

  mutating func leave(_ finish: (TargetDirectory, FileEntry) -> Void) throws(FileError) {
    switch self {
    case .tree(var tree):
      defer { self = .tree(tree) }
      try tree.leave(finish)
    case .survey(var survey):
      defer { self = .survey(survey) }
      try survey.leave(finish)
    }
  }

  /// Returns the directory in which files are created; nil if a dry run would create it.
  ///
  /// - Throws: ``FileError`` about the file `name` if the directory could not be opened again.
  func directory(for name: [UInt8]) throws(FileError) -> TargetDirectory? {
    switch self {
    case .tree(let tree):
      guard let directory = tree.directory else { throw tree.lost(.makeFile, name) }
      return directory
    case .survey(let survey): return survey.directory
    }
  }

  /// Throws if the path of the target now leads to another directory, in which nothing was restored.
  func check(_ path: [UInt8]) throws(FileError) { if case .tree(let tree) = self { try tree.checkTarget(path) } }

  /// Sets the metadata of the target, if this extraction or an interrupted one has created it.
  func finishRoot(_ entry: FileEntry) {
    if case .tree(let tree) = self { tree.finishRoot(entry) }
  }

  /// The names of the directories from the target to the current one; none in a dry run.
  var steps: [[UInt8]] { if case .tree(let tree) = self { tree.steps } else { [] } }

  /// The target itself; nil in a dry run.
  var root: TargetDirectory? { if case .tree(let tree) = self { tree.root } else { nil } }
}
