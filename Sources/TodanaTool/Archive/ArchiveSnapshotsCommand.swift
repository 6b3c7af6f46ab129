import ArgumentParser
import Foundation
import Todana
import TodanaArchive

struct ArchiveSnapshotsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshots", abstract: "List the snapshots of an archive.",
    usage: "todana archive snapshots [<options>] <archive>",
    discussion: """
      \(EnvironmentHelp.archive)

      Examples:
        todana archive snapshots /backup/Files.todana --tag monthly
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @OptionGroup var options: ArchiveOptions
  @OptionGroup(title: "Choosing") var chosen: SnapshotFilter
  @Flag(help: "Print JSON, one snapshot per line.") var json = false

  func run() throws {
    let snapshots = try options.withArchive(try ArchiveOptions.archive(archive)) { archive in
      let snapshots = try archive.snapshots()
      warnOfFuture(snapshots)
      return try chosen.filter(snapshots)
    }
    if json {
      for snapshot in snapshots { try printJSON(SnapshotReport(snapshot)) }
      return
    }
    var table = TextTable(
      .longText("Paths"), .text("Snapshot"), .text("Time"), .longText("Host"), .number("Files"), .number("Size"))
    for snapshot in snapshots {
      let paths = snapshot.shownPaths
      let tags = snapshot.tags.isEmpty ? "" : " [\(snapshot.tags.joined(separator: ", "))]"
      table.append(
        paths + tags, snapshot.id.short, formattedDate(snapshot.time), snapshot.host,
        formattedCount(snapshot.counts.files), formattedSize(Int(snapshot.counts.bytes)))
    }
    try table.print()
  }
}

/// The JSON report of a snapshot.
struct SnapshotReport: Encodable {
  let snapshot: String
  let time: Date
  let host: String
  let paths: [String]
  /// The bytes of the paths, if one of them is not UTF-8.
  let pathBytes: [Data]?
  let absolutePaths: [String]
  let label: String?
  let tags: [String]
  let fileCount: Int
  let directoryCount: Int
  let byteCount: Int64
  let failureCount: Int

  init(_ reported: Snapshot) {
    snapshot = "\(reported.id)"
    (time, host, label, tags) = (reported.time, reported.host, reported.label, reported.tags)
    let given = PathsReport(reported.paths)
    (paths, pathBytes) = (given.texts, given.bytes)
    absolutePaths = PathsReport(reported.absolutePaths).texts
    let counts = reported.counts
    (fileCount, directoryCount, byteCount) = (counts.files, counts.directories, counts.bytes)
    failureCount = counts.failures
  }
}
