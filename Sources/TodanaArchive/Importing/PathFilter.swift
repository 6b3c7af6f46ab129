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
