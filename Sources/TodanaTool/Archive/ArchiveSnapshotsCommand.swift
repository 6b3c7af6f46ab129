import ArgumentParser
import Foundation
import Todana
import TodanaArchive

struct ArchiveSnapshotsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshots", abstract: "List the snapshots of an archive.",
    usage: "todana archive snapshots [<options>] <archive>",
    discussion: EnvironmentHelp.archive)

  @Argument(help: "The archive's directory.", completion: .directory) var archive: String?
  @OptionGroup var options: ArchiveOptions
  @OptionGroup(title: "Choosing") var chosen: SnapshotFilter
  @Flag(help: "Print one JSON document.") var json = false

  func run() throws {
    let snapshots = try options.withArchive(try ArchiveOptions.archive(archive)) { archive in
      let snapshots = try archive.snapshots()
      warnOfFuture(snapshots)
      return try chosen.filter(snapshots)
    }
    if json { return try printJSON(snapshots.map { SnapshotReport($0) }) }
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
  let id: String
  let time: Date
  let host: String
  let paths: [String]
  /// The bytes of the paths, if one of them is not UTF-8.
  let pathBytes: [Data]?
  let absolutePaths: [String]
  let label: String?
  let tags: [String]
  let files: Int
  let directories: Int
  let bytes: Int64
  let failures: Int

  init(_ snapshot: Snapshot) {
    id = "\(snapshot.id)"
    time = snapshot.time
    host = snapshot.host
    paths = snapshot.paths.map { String(decoding: $0, as: UTF8.self) }
    let areTexts = zip(paths, snapshot.paths).allSatisfy { $0.utf8.elementsEqual($1) }
    pathBytes = areTexts ? nil : snapshot.paths.map { Data($0) }
    absolutePaths = snapshot.absolutePaths.map { String(decoding: $0, as: UTF8.self) }
    label = snapshot.label
    tags = snapshot.tags
    files = snapshot.counts.files
    directories = snapshot.counts.directories
    bytes = snapshot.counts.bytes
    failures = snapshot.counts.failures
  }
}

struct ArchiveRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove snapshots.",
    usage: "todana archive remove [<options>] <archive> <id> ...",
    discussion: """
      Either all of the given snapshots are removed, or none. 'todana archive compact' then frees their space.

      \(EnvironmentHelp.archive)
      """)

  @Argument(
    help: ArgumentHelp("The archive's directory, then ids of snapshots.", valueName: "archive id"),
    completion: .file())
  var arguments: [String] = []
  @OptionGroup var options: ArchiveOptions
  @Flag(help: "Show what would be removed, but remove nothing.") var dryRun = false

  func run() throws {
    let (path, ids) = try ArchiveOptions.split(arguments)
    guard !ids.isEmpty else { throw ValidationError("No snapshots given: pass their ids.") }
    let removed = try options.withArchive(path, dryRun ? .read : .write) { archive in
      let snapshots = Set(try ids.map { try archive.chosenSnapshot($0) })
      if !dryRun { try archive.remove(Array(snapshots)) }
      return snapshots
    }
    guard dryRun else { return try StandardOutput.line("Removed \(counted(removed.count, "snapshot")).") }
    for snapshot in removed.sorted(by: { $0.time < $1.time }) {
      try StandardOutput.line(
        printable("Would remove \(snapshot.id.short)  \(formattedDate(snapshot.time))  \(snapshot.shownPaths)"))
    }
    try StandardOutput.line("Would remove \(counted(removed.count, "snapshot")).")
  }
}
