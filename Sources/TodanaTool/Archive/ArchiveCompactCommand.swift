import ArgumentParser
import Todana
import TodanaArchive

struct ArchiveCompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Remove content that no snapshot needs, and free its space.",
    discussion: """
      Needs at most 64 MiB of free disk space, or a twentieth of the archive's size if that is more. An interrupted \
      compaction keeps the space that it has freed, and loses no data.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive compact /backup/Files.todana
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @OptionGroup var options: ArchiveOptions
  @Flag(help: "Show what would be removed, but change nothing.") var dryRun = false
  @OptionGroup var report: ReportOptions

  func run() throws {
    if dryRun { return try count() }
    var line = ProgressLine(isShown: !report.quiet && !report.json)
    defer { line.clear() }
    let result = try options.withArchive(try ArchiveOptions.archive(archive), .write) { archive in
      try archive.compact { step in
        try Interruption.check()
        line.show(step)
      }
    }
    line.clear()
    if report.json {
      try printJSON(Output(result))
    } else {
      try show(result)
    }
    if result.keptDamage != nil { throw ExitStatus.somethingWrong }
  }

  private func count() throws {
    let garbage = try options.withArchive(try ArchiveOptions.archive(archive)) { archive in
      try archive.garbage { try Interruption.check() }
    }
    if report.json { return try printJSON(GarbageReport(garbage)) }
    try StandardOutput.line(
      "Would remove \(counted(garbage.contents, "piece")) of content, "
        + "\(counted(garbage.smallFiles, "small file")) and \(counted(garbage.pages, "directory page")), "
        + "and merge \(counted(garbage.sparseGroups, "group of small files", "groups of small files")): "
        + "about \(formattedSize(Int(garbage.byteCount))).")
  }

  private func show(_ result: CompactResult) throws {
    try StandardOutput.line(
      "Removed \(counted(result.removedContents, "piece")) of content, "
        + "\(counted(result.removedSmallFiles, "small file")) and \(counted(result.removedPages, "directory page")); "
        + "merged \(counted(result.rewrittenGroups, "group of small files", "groups of small files")).")
    try StandardOutput.line(
      "\(formattedSize(Int(result.byteCountBefore))) before, \(formattedSize(Int(result.byteCountAfter))) after.")
    if let damage = result.keptDamage {
      try StandardOutput.line("A damaged file was not compacted: \(printableMessage(damage))")
    }
  }

  private struct Output: Encodable {
    let removedContentCount: Int
    let removedSmallFileCount: Int
    let removedDirectoryPageCount: Int
    let mergedGroupCount: Int
    let byteCountBefore: Int64
    let byteCountAfter: Int64
    let damage: String?

    init(_ result: CompactResult) {
      (removedContentCount, removedSmallFileCount) = (result.removedContents, result.removedSmallFiles)
      (removedDirectoryPageCount, mergedGroupCount) = (result.removedPages, result.rewrittenGroups)
      (byteCountBefore, byteCountAfter) = (result.byteCountBefore, result.byteCountAfter)
      damage = result.keptDamage
    }
  }
}

/// The JSON report of the content that would be removed.
private struct GarbageReport: Encodable {
  let contentCount: Int
  let smallFileCount: Int
  let directoryPageCount: Int
  let mergedGroupCount: Int
  let byteCount: Int64

  init(_ garbage: ArchiveGarbage) {
    (contentCount, smallFileCount) = (garbage.contents, garbage.smallFiles)
    (directoryPageCount, mergedGroupCount, byteCount) = (garbage.pages, garbage.sparseGroups, garbage.byteCount)
  }
}
