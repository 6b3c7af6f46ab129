import ArgumentParser
import Foundation
import Todana
import TodanaArchive

struct ArchivePruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove the snapshots that no rule keeps.",
    usage: "todana archive prune [<options>] <archive>",
    discussion: """
      A snapshot is kept if any rule keeps it. Each number can also be 'all'. The rules are applied separately to each \
      group of snapshots with the same host and paths, or the same label. Hours, days and so on are those of the \
      machine's time zone. Snapshots dated in the future are kept, and no rule counts them.

      If no rule is given, if a group would lose all its snapshots, or if a directory of a kept snapshot is damaged, \
      the command fails and removes nothing. The snapshots are removed in one step: all of them or, after a failure, \
      none. 'todana archive compact' then frees their space.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive prune /backup/Files.todana --keep-daily 7 --keep-monthly 12 --dry-run
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @OptionGroup var options: ArchiveOptions
  @OptionGroup(title: "Keeping") var retention: RetentionArguments
  @Flag(help: "Show what would be removed, but remove nothing.") var dryRun = false
  @OptionGroup var report: ReportOptions

  func run() throws {
    let policy = try retention.policy()
    let grouping = try SnapshotGrouping(retention.groupBy)
    let plan = try options.withArchive(try ArchiveOptions.archive(archive), dryRun ? .read : .write) { archive in
      let snapshots = try archive.snapshots()
      let plan = try policy.plan(
        for: snapshots.map(\.forRetention), groupedBy: grouping, in: .current, now: Date())
      warnOfFuture(snapshots)
      let removed = Set(plan.removed.map(\.id))
      if !removed.isEmpty {
        try refuseDamage(archive, snapshots.filter { !removed.contains($0.id.bytes) })
      }
      if !dryRun, !removed.isEmpty { try archive.remove(snapshots.filter { removed.contains($0.id.bytes) }) }
      return plan
    }
    if report.json { return try printJSON(PruneReport(plan, isDryRun: dryRun)) }
    for group in plan.groups { try show(group) }
    try StandardOutput.line(
      "\(dryRun ? "Would keep" : "Kept") \(counted(plan.kept.count, "snapshot")), "
        + "\(dryRun ? "would remove" : "removed") \(formattedCount(plan.removed.count)).")
  }

  /// Throws if a directory of a kept snapshot cannot be read: the removed ones may be the last sound ones.
  private func refuseDamage(_ archive: Archive, _ kept: [Snapshot]) throws {
    var line = ProgressLine(isShown: !report.quiet && !report.json)
    defer { line.clear() }
    line.show("reading directories")
    let damaged = try archive.snapshotsWithDamagedDirectories(among: kept) { try Interruption.check() }
    line.clear()
    guard !damaged.isEmpty else { return }
    let ids = damaged.prefix(10).map(\.id.short).joined(separator: ", ") + (damaged.count > 10 ? ", …" : "")
    throw DamagedSnapshots(
      description:
        "Nothing was removed: directories are damaged in \(counted(damaged.count, "kept snapshot")) (\(ids)). "
        + "'todana archive verify' lists the damage, and 'todana archive remove' removes snapshots by their ids.")
  }

  private func show(_ group: RetentionPlan.Group) throws {
    try StandardOutput.line(printableMessage("\(group.key):"))
    for entry in group.entries {
      let id = SnapshotID(entry.snapshot.id)?.short ?? ""
      let reasons = entry.isKept ? "  " + entry.reasons.map { "\($0)" }.joined(separator: ", ") : ""
      let verb = entry.isKept ? "keep  " : "remove"
      try StandardOutput.line(printableMessage("  \(verb)  \(id)  \(formattedDate(entry.snapshot.time))\(reasons)"))
    }
    try StandardOutput.line("")
  }
}

/// The error for kept snapshots that are damaged.
private struct DamagedSnapshots: Error, CustomStringConvertible {
  let description: String
}

/// The JSON report of the kept and removed snapshots.
private struct PruneReport: Encodable {
  let isDryRun: Bool
  let keptCount: Int
  let removedCount: Int
  let groups: [Group]

  struct Group: Encodable {
    let host: String?
    let label: String?
    let paths: [String]?
    /// The bytes of the paths, if one of them is not UTF-8.
    let pathBytes: [Data]?
    let tags: [String]?
    let snapshots: [Entry]
  }

  struct Entry: Encodable {
    let snapshot: String
    let time: Date
    let isKept: Bool
    let reasons: [String]
  }

  init(_ plan: RetentionPlan, isDryRun: Bool) {
    self.isDryRun = isDryRun
    keptCount = plan.kept.count
    removedCount = plan.removed.count
    groups = plan.groups.map { group in
      let paths = group.key.paths.map { PathsReport($0) }
      return Group(
        host: group.key.host, label: group.key.label, paths: paths?.texts, pathBytes: paths?.bytes,
        tags: group.key.tags,
        snapshots: group.entries.map { entry in
          Entry(
            snapshot: SnapshotID(entry.snapshot.id).map { "\($0)" } ?? "", time: entry.snapshot.time,
            isKept: entry.isKept,
            reasons: entry.reasons.map { "\($0)" })
        })
    }
  }
}
