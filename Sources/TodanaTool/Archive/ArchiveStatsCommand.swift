import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveStatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show the number and size of archived files, and the size of the archive.",
    usage: "todana archive stats [<options>] <archive>",
    discussion: """
      \(EnvironmentHelp.archive)

      Examples:
        todana archive stats /backup/Files.todana
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @OptionGroup var options: ArchiveOptions
  @Flag(help: "Print the report as one JSON object.") var json = false

  func run() throws {
    let stats = try options.withArchive(try ArchiveOptions.archive(archive)) { try $0.stats() }
    if json { return try printJSON(Report(stats)) }
    func line(_ title: String, _ value: String) throws {
      try StandardOutput.line(title.padding(toLength: 22, withPad: " ", startingAt: 0) + value)
    }
    try line("Snapshots", formattedCount(stats.snapshotCount))
    try line(
      "Files in snapshots", "\(formattedCount(stats.fileCount)), \(formattedSize(Int(stats.byteCount)))")
    try line(
      "Stored",
      "\(counted(stats.contentCount, "chunk or group", "chunks and groups")), "
        + "\(counted(stats.smallFileCount, "small file")), \(counted(stats.pageCount, "directory page"))")
    try line(
      "On disk",
      formattedSize(Int(stats.storedByteCount)) + (stats.byteCount > 0 ? ", ratio \(Self.rounded(stats.ratio))" : ""))
  }

  /// Returns the ratio with at most two digits after the point.
  private static func rounded(_ ratio: Double) -> String { "\((ratio * 100).rounded() / 100)" }

  private struct Report: Encodable {
    let snapshotCount: Int
    let fileCount: Int
    let byteCount: Int64
    let contentCount: Int
    let smallFileCount: Int
    let directoryPageCount: Int
    let storedByteCount: Int64
    let ratio: Double

    init(_ stats: ArchiveStats) {
      (snapshotCount, fileCount, byteCount) = (stats.snapshotCount, stats.fileCount, stats.byteCount)
      (contentCount, smallFileCount) = (stats.contentCount, stats.smallFileCount)
      (directoryPageCount, storedByteCount, ratio) = (stats.pageCount, stats.storedByteCount, stats.ratio)
    }
  }
}
