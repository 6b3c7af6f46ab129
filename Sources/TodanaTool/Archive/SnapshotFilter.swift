import ArgumentParser
import Foundation
import TodanaArchive

/// The options that select the listed snapshots; a snapshot must match all of them.
struct SnapshotFilter: ParsableArguments {
  @Option(help: ArgumentHelp("Only snapshots with this tag.", valueName: "tag")) var tag: String?
  @Option(help: ArgumentHelp("Only snapshots with this label.", valueName: "name")) var label: String?
  @Option(help: ArgumentHelp("Only snapshots of this host.", valueName: "name")) var host: String?
  @Option(
    help: ArgumentHelp("Only snapshots of this path, alone or together with other paths.", valueName: "path"),
    completion: .file())
  var path: String?

  func filter(_ snapshots: [Snapshot]) throws -> [Snapshot] {
    let given = path.map(bytes)
    let absolute = given.flatMap { path in
      AbsolutePath.workingDirectory.map { AbsolutePath.bytes(of: path, in: $0) }
    }
    return snapshots.filter { snapshot in
      if let tag, !snapshot.tags.contains(tag) { return false }
      if let label, snapshot.label != label { return false }
      if let host, snapshot.host != host { return false }
      guard let given else { return true }
      if snapshot.workingDirectory.isEmpty { return snapshot.paths.contains(given) }
      return absolute.map(snapshot.absolutePaths.contains) ?? false
    }
  }
}

extension Snapshot {
  /// The label, if there is one, and the paths: absolute paths, or names, such as those of tar streams.
  var shownPaths: String {
    let paths = comparedPaths.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    return label.map { "\($0): \(paths)" } ?? paths
  }
}

/// Warns of snapshots with a time in the future: `latest` selects the last of them until then.
func warnOfFuture(_ snapshots: [Snapshot]) {
  let now = Date()
  let future = snapshots.filter { $0.time > now }
  guard let last = future.last else { return }
  let others = future.count > 1 ? ", as are \(formattedCount(future.count - 1)) more" : ""
  printError(
    "Snapshot \(last.id.short) is dated \(formattedDate(last.time)), in the future\(others): until then, “latest” "
      + "selects it, and prune keeps it. Remove it if its date is wrong.")
}

extension Archive {
  /// Returns the snapshot that a user names by an id or as `latest`; warns if `latest` is in the future.
  func chosenSnapshot(_ name: String) throws -> Snapshot {
    let snapshot = try snapshot(named: name)
    if name == "latest" { warnOfFuture([snapshot]) }
    return snapshot
  }
}
