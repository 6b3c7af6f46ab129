import CFaults
import Foundation
import TestSupport
import Todana

@testable import TodanaArchive

/// Repeated additions of a directory to an archive, in each of which another call for one of its files fails.
///
/// Each snapshot must have all entries except those that the reported failures name, and entries beneath them.
struct ArchiveFaults {
  let archive: String
  let source: String

  private static let kinds: [(name: String, kind: fault_kind)] = [
    ("read", fault_read), ("open", fault_open), ("list", fault_list), ("status", fault_status), ("seek", fault_seek),
  ]

  /// Prints a line for each fault, then `failures` and `faults`, each with a number.
  func run(_ count: Int) throws {
    let archive = try Archive.make(at: archive, configuration: StoreConfiguration(encryption: .none))
    let whole = try add(to: archive)
    var generator = SeededGenerator(seed: 2026)
    var (faultCount, failureCount) = (0, 0)
    for (name, kind) in Self.kinds {
      unsafe faults_arm_beneath(kind, .max, EIO, false, source)
      _ = try add(to: archive)
      let callCount = Int(faults_disarm())
      guard callCount > 0 else {
        report("fault: no call of kind \(name)")
        continue
      }
      for _ in 0..<(count / Self.kinds.count) {
        let nth = Int.random(in: 1...callCount, using: &generator)
        unsafe faults_arm_beneath(kind, Int64(nth), EIO, false, source)
        let result = Result { try add(to: archive) }
        _ = faults_disarm()
        let added = try result.get()
        failureCount += added.failures.count
        for fault in faults(in: added, whole) {
          report("fault: \(name) \(nth): \(fault)")
          faultCount += 1
        }
      }
    }
    try archive.close()
    report("failures \(failureCount)")
    report("faults \(faultCount)")
  }

  private struct Added {
    var paths: Set<String> = []
    var failures: [String] = []
  }

  /// Adds the source with all files read again, and removes the snapshot afterwards.
  private func add(to archive: Archive) throws -> Added {
    var options = AddOptions()
    options.rescans = true
    let result = try archive.add([Array(source.utf8)], options: options)
    var added = Added(failures: result.progress.failures)
    guard let snapshot = result.snapshot else { return added }
    var walk = SnapshotWalk(snapshot.pages, of: archive.content)
    while let step = try walk.next() {
      switch step {
      case .entry(let entry): added.paths.insert("/" + String(decoding: walk.path(of: entry), as: UTF8.self))
      case .failure(let error, _): throw error
      case .end: break
      }
    }
    try archive.remove([snapshot])
    return added
  }

  private func faults(in added: Added, _ whole: Added) -> [String] {
    var faults: [String] = []
    // If nothing could be read, there is no snapshot, and directories above the source are missing, too.
    let missing = whole.paths.subtracting(added.paths).filter { $0.hasPrefix(source) }
    if added.failures.count > 2 { faults.append("more failures than calls that failed: \(added.failures)") }
    for path in missing where !added.failures.contains(where: { explains($0, path) }) {
      faults.append("\(path) is missing, and only told of: \(added.failures)")
    }
    return faults
  }

  /// Tests whether a failure names the path or a directory above it.
  private func explains(_ failure: String, _ path: String) -> Bool {
    var path = path
    while path.count >= source.count {
      if failure.contains("“\(path)”") { return true }
      path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
    return false
  }
}
