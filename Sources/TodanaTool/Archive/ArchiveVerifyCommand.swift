import ArgumentParser
import Todana
import TodanaArchive

struct ArchiveVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check an archive for damage.",
    discussion: """
      Reads all data, and lists the damaged files of each snapshot. --quick and --sample read less, and find less. The \
      damage is recorded in the archive, so that 'todana archive add' stores the damaged content again.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive verify /backup/Files.todana --sample 5%
      """,
    aliases: ["check"])

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @OptionGroup var options: ArchiveOptions
  @Flag(help: "Read no content, only snapshots, directories and their references.") var quick = false
  @Option(help: ArgumentHelp("Read only a random part of the content, such as 5%.", valueName: "percent"))
  var sample: String?
  @OptionGroup var report: ReportOptions

  func run() throws {
    let scope = try scope()
    var line = ProgressLine(isShown: !report.quiet && !report.json)
    defer { line.clear() }
    let path = try ArchiveOptions.archive(archive)
    let secret = try options.secret.given()
    let (found, snapshots) = try options.withArchive(path, secret: secret) { archive in
      let found = try archive.verify(scope) { progress in
        try Interruption.check()
        line.show("verifying", progress.contentCount, progress.totalContentCount)
      }
      return (found, found.damagedFiles.isEmpty ? [] : try archive.snapshots())
    }
    line.clear()
    let isNoted = found.hasNews && note(found, path, secret)
    let isKnown = isNoted || !found.hasNews
    let advice = found.isSound ? nil : advice(found, path, isKnown: isKnown)
    if report.json {
      try printJSON(ArchiveVerificationReport(found, isRecorded: isNoted, advice: advice))
    } else {
      try show(found, snapshots)
      if let advice { try StandardOutput.line(advice) }
    }
    if !found.isSound { throw ExitStatus.somethingWrong }
  }

  /// Returns the next step for the user of a damaged archive.
  ///
  /// - Parameters:
  ///   - found: The damage.
  ///   - path: The archive.
  ///   - isKnown: Whether the damage is recorded in the archive, so that `add` replaces damaged content.
  /// - Returns: One or two sentences.
  private func advice(_ found: ArchiveVerification, _ path: String, isKnown: Bool) -> String {
    let salvage = "Copy all readable data to a new archive: todana store salvage \(printable(path)) NEW"
    let adding =
      found.lacksContent || found.isStructureDamaged
      ? "if you still have them: the new snapshot then has all their data."
      : "if you still have them: this repairs all snapshots that contain them."
    if found.isStructureDamaged {
      return found.damagedFileCount > 0 ? "\(salvage). Then add the damaged files to it, \(adding)" : salvage
    }
    if found.damagedFileCount > 0 { return isKnown ? "Add the damaged files again, \(adding)" : salvage }
    if found.problemCount == found.damagedCopyCount {
      return "No data are lost. The next command that writes to the archive repairs the damaged copies."
    }
    return
      "No file of a snapshot is damaged. To leave the damage behind, copy all snapshots to a new archive: todana archive "
      + "copy \(printable(path)) NEW"
  }

  /// Notes the damage in the archive for the next `add`; returns whether that succeeded.
  private func note(_ found: ArchiveVerification, _ path: String, _ secret: StoreSecret?) -> Bool {
    do {
      try options.withArchive(path, .writeExisting, secret: secret) { archive in _ = try archive.noteDamage(found) }
      return true
    } catch {
      printError("The damage cannot be recorded in the archive, so adding the files again will not repair it: \(error)")
      return false
    }
  }

  private func scope() throws -> ArchiveVerification.Scope {
    guard let sample else { return quick ? .structure : .everything }
    let text = sample.hasSuffix("%") ? String(sample.dropLast()) : sample
    guard !quick, let percent = Double(text), percent > 0, percent <= 100 else {
      throw ValidationError("--sample needs a percentage, such as 5%, and cannot be used together with --quick.")
    }
    return percent == 100 ? .everything : .sample(percent / 100)
  }

  private func show(_ found: ArchiveVerification, _ snapshots: [Snapshot]) throws {
    for problem in found.problems { try StandardOutput.line(printableMessage(problem)) }
    if found.problemCount > found.problems.count {
      try StandardOutput.line("and \(formattedCount(found.problemCount - found.problems.count)) more")
    }
    var last: SnapshotID?
    for file in found.damagedFiles {
      if file.snapshot != last, let snapshot = snapshots.first(where: { $0.id == file.snapshot }) {
        try StandardOutput.line("Damaged in snapshot \(snapshot.id.short) of \(formattedDate(snapshot.time)):")
      }
      last = file.snapshot
      let path = printable(file.path)
      try StandardOutput.line(
        "  \(path.isEmpty ? "/" : path)\(file.isDirectory ? " (a directory, of which a part cannot be read)" : "")")
    }
    if found.damagedFileCount > found.damagedFiles.count {
      try StandardOutput.line("  and \(formattedCount(found.damagedFileCount - found.damagedFiles.count)) more")
    }
    let read =
      switch found.scope {
      case .everything: "all content was read"
      case .sample(let part):
        "\(part < 0.00005 ? "" : "only ")\(formattedPercentage(part)) of the content was read"
      case .structure: "no content was read"
      }
    try StandardOutput.line(
      "\(counted(found.snapshotCount, "snapshot")), \(counted(found.contentCount, "piece")) of content; \(read): "
        + (found.isSound ? "nothing is damaged." : "\(counted(found.problemCount, "problem"))."))
  }
}
