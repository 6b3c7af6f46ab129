import ArgumentParser
import Todana
import TodanaArchive

struct ArchiveCopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy snapshots to another archive.",
    usage: "todana archive copy [<options>] <archive> <target> [<id> ...]",
    discussion: """
      The target archive must exist. If its passphrase or key differs from that of the first archive, pass it with \
      one of the options that begin with --new-. Without ids, all snapshots that the target does not have are copied.

      \(EnvironmentHelp.archiveAndNewPassphrase)
      """)

  @Argument(
    help: ArgumentHelp(
      "The directories of the archive and of the target archive, then ids of snapshots.",
      valueName: "archive target id"),
    completion: .file())
  var arguments: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup(title: "Passphrase or key of the target archive") var targetSecret: NewSecretOptions
  @OptionGroup var report: ReportOptions

  func run() throws {
    let (path, rest) = try ArchiveOptions.split(arguments)
    guard let target = rest.first else {
      throw ValidationError("No target archive given: pass its directory after that of the archive.")
    }
    try StandardInput.check([options.secret.standardInputUse(), targetSecret.standardInputUse()])
    var line = ProgressLine(isShown: !report.quiet && !report.json)
    defer { line.clear() }
    let copies = try options.withArchive(path) { source in
      try options.withArchive(target, .write, secret: try targetSecret.given()) { target in
        let there = Set(try target.snapshots().compactMap(\.original))
        let snapshots =
          rest.count > 1
          ? try rest.dropFirst().map { try source.chosenSnapshot($0) }
          : try source.snapshots().filter { !there.contains($0.original ?? $0.id) }
        return try snapshots.enumerated().map { number, snapshot -> Copy in
          line.show("copying", number, snapshots.count)
          let copy = try source.copy(snapshot, to: target) { try Interruption.check() }
          return Copy(snapshot: "\(snapshot.id)", copy: "\(copy.id)")
        }
      }
    }
    line.clear()
    if report.json { return try printJSON(copies) }
    for copy in copies {
      try StandardOutput.line("Snapshot \(copy.snapshot.prefix(8)) copied as \(copy.copy.prefix(8)).")
    }
    try StandardOutput.line("Copied \(counted(copies.count, "snapshot")).")
  }

  private struct Copy: Encodable {
    let snapshot: String
    let copy: String
  }
}
