/// A path of a tar as a snapshot has it: without a leading "/", empty steps and ".".
struct TarPath: Sendable {
  /// Why a path cannot be in a snapshot.
  struct Refusal: Error {
    let reason: String
  }

  private static let slash = UInt8(ascii: "/")

  /// None: the top.
  let steps: [ArraySlice<UInt8>]

  /// - Throws: ``Refusal`` for a path that leads out, or that no file can have.
  init(_ path: [UInt8]) throws(Refusal) {
    steps = path.split(separator: Self.slash).filter { !$0.elementsEqual(CollectionOfOne(UInt8(ascii: "."))) }
    for step in steps where !FileName.isStep(Array(step)) {
      throw Refusal(
        reason: FileName.isDots(step)
          ? "its path has “..” in it"
          : "its path has a NUL in it, or a name of more than \(FileName.byteCountLimit) bytes")
    }
    guard steps.count < SnapshotWalk.levelLimit else { throw Refusal(reason: "its path has too many steps") }
  }

  /// With "/" between steps.
  var bytes: [UInt8] { Array(steps.joined(separator: [Self.slash])) }

  /// Returns the path below another path, which is the top of the tar.
  func bytes(below top: TarPath) -> [UInt8] { Array((top.steps + steps).joined(separator: [Self.slash])) }
}

/// A file filter for paths that come in any order.
struct PathFilter {
  private var filter: FileFilter
  /// The directory that was entered last.
  private var directory: [ArraySlice<UInt8>] = []

  /// Whether there are rules at all.
  private let isNeeded: Bool

  init(_ options: FilterOptions) {
    filter = FileFilter(options, device: 0)
    isNeeded = !options.rules.rules.isEmpty || options.largestFile != nil
  }

  /// Returns why a path is left out, by itself or with a directory above it; nil if it is included.
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
