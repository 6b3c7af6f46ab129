/// A path from a tar, as a snapshot stores it: without a leading "/", empty components and ".".
struct TarPath: Sendable {
  /// The reason why a path cannot be in a snapshot.
  struct Refusal: Error {
    let reason: String
  }

  private static let slash = UInt8(ascii: "/")

  /// The components of the path; none for the top.
  let steps: [ArraySlice<UInt8>]

  /// Converts a path.
  ///
  /// - Throws: ``Refusal`` if the path leads out of the snapshot, is too deep, or cannot be the path of a file.
  init(_ path: [UInt8]) throws(Refusal) {
    steps = path.split(separator: Self.slash).filter { !$0.elementsEqual(CollectionOfOne(UInt8(ascii: "."))) }
    for step in steps where !FileName.isStep(Array(step)) {
      throw Refusal(
        reason: FileName.isDots(step)
          ? "its path contains “..”"
          : "its path contains a NUL, or a name of more than \(FileName.byteCountLimit) bytes")
    }
    guard steps.count < SnapshotWalk.levelLimit else { throw Refusal(reason: "its path is too deep") }
  }

  /// The path with "/" between its components.
  var bytes: [UInt8] { Array(steps.joined(separator: [Self.slash])) }

  /// Returns this path below another path: the directory in the snapshot that receives the content of the tar.
  func bytes(below top: TarPath) -> [UInt8] { Array((top.steps + steps).joined(separator: [Self.slash])) }
}

/// A file filter that accepts paths in any order.
struct PathFilter {
  private var filter: FileFilter
  /// The current directory of the filter.
  private var directory: [ArraySlice<UInt8>] = []

  /// Whether there are any rules or limits to apply.
  private let isNeeded: Bool

  init(_ options: FilterOptions) {
    filter = FileFilter(options, device: 0)
    isNeeded = !options.rules.rules.isEmpty || options.largestFile != nil
  }

  /// Returns the reason why a path, or a directory above it, is left out; nil if the path is included.
  mutating func exclusion(of path: TarPath, isDirectory: Bool, size: Int?) -> FileDecision.Reason? {
    guard isNeeded else { return nil }
    let above = path.steps.dropLast()
    let common = zip(directory, above).prefix { $0 == $1 }.count
    while directory.count > common {
      filter.leave()
      directory.removeLast()
    }
    for step in above.dropFirst(common) {
      if let reason = reason(step, isDirectory: true, size: nil) { return reason }
      filter.enter(Array(step))
      directory.append(step)
    }
    return path.steps.last.flatMap { reason($0, isDirectory: isDirectory, size: size) }
  }

  private mutating func reason(_ name: ArraySlice<UInt8>, isDirectory: Bool, size: Int?) -> FileDecision.Reason? {
    switch filter.decision(name: Array(name), isDirectory: isDirectory, size: size, device: 0) {
    case .include, .includeWithoutContent: nil
    case .exclude(let reason): reason
    }
  }
}
