/// Decides what rules leave out of paths that come in any order.
struct PathChooser {
  private var chooser: FileChooser
  /// The directory that was entered last.
  private var directory: [ArraySlice<UInt8>] = []

  /// Whether anything may be left out.
  private let isNeeded: Bool

  init(_ options: ChoosingOptions) {
    chooser = FileChooser(options, device: 0)
    isNeeded = !options.rules.rules.isEmpty || options.largestFile != nil
  }

  /// Why something is left out, by itself or with a directory that it is in; nil where it is not.
  mutating func exclusion(of path: TarPath, isDirectory: Bool, size: Int?) -> FileDecision.Reason? {
    guard isNeeded else { return nil }
    let above = path.steps.dropLast()
    let common = zip(directory, above).prefix { $0 == $1 }.count
    while directory.count > common {
      chooser.leave()
      directory.removeLast()
    }
    for step in above.dropFirst(common) {
      if let reason = reason(step, isDirectory: true, size: nil) { return reason }
      chooser.enter(Array(step))
      directory.append(step)
    }
    return path.steps.last.flatMap { reason($0, isDirectory: isDirectory, size: size) }
  }

  private mutating func reason(_ name: ArraySlice<UInt8>, isDirectory: Bool, size: Int?) -> FileDecision.Reason? {
    switch chooser.decision(name: Array(name), isDirectory: isDirectory, size: size, device: 0) {
    case .include, .includeWithoutContent: nil
    case .exclude(let reason): reason
    }
  }
}
