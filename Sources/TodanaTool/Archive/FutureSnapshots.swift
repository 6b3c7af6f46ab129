import Foundation
import TodanaArchive

/// Warns of snapshots whose time has not come: `latest` means the last of them until then.
func warnOfFuture(_ snapshots: [Snapshot]) {
  let now = Date()
  let future = snapshots.filter { $0.time > now }
  guard let last = future.last else { return }
  let others = future.count > 1 ? ", as are \(formattedCount(future.count - 1)) more" : ""
  printError(
    "Snapshot \(last.id.short) is of \(formattedDate(last.time)), which is in the future\(others): “latest” means it, "
      + "and prune keeps it. Remove it if its time is wrong.")
}

extension Archive {
  /// Returns the snapshot that a user names by an id or as `latest`, and warns if that is one of the future.
  func chosenSnapshot(_ name: String) throws -> Snapshot {
    let snapshot = try snapshot(named: name)
    if name == "latest" { warnOfFuture([snapshot]) }
    return snapshot
  }
}
