import ArgumentParser
import Foundation
import Todana
import TodanaArchive

struct ArchiveCopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy snapshots to another archive.",
    usage: "todana archive copy [<options>] <archive> <target> [<id> ...]",
    discussion: """
      The target archive must exist. If its passphrase or key differs from that of the first archive, pass it with \
      one of the options that begin with --target-. Without ids, all snapshots that the target does not have are copied.

      A snapshot with a damaged file or directory is listed and not copied, and the exit status is 1.

      \(EnvironmentHelp.archiveAndTargetPassphrase)

      Examples:
        todana archive copy /backup/Files.todana /other/Files.todana
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("The target archive's directory.", valueName: "target"), completion: .directory)
  var target: String?
  @Argument(help: ArgumentHelp("Ids of snapshots; by default, all that the target does not have.", valueName: "id"))
  var ids: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup(title: "Passphrase or key of the target archive") var targetSecret: TargetSecretOptions
  @OptionGroup var report: SnapshotReportOptions

  private var arguments: [String] { [archive, target].compactMap(\.self) + ids }

  func run() throws {
    let (path, rest) = try ArchiveOptions.split(arguments)
    guard let targetPath = rest.first else {
      throw ValidationError("No target archive given: pass its directory after that of the archive.")
    }
    try StandardInput.check([options.secret.standardInputUse(), targetSecret.standardInputUse()])
    guard !isSameDirectory(path, targetPath) else {
      throw ValidationError("The target is the archive itself: pass the directory of another archive.")
    }
    var line = ProgressLine(isShown: !report.quiet && !report.json)
    defer { line.clear() }
    var damaged: [Snapshot] = []
    let copies = try options.withArchive(path) { source in
      try withTarget(targetPath) { target in
        let there = Set(try target.snapshots().compactMap(\.original))
        let snapshots =
          rest.count > 1
          ? try rest.dropFirst().map { try source.chosenSnapshot($0) }
          : try source.snapshots().filter { !there.contains($0.original ?? $0.id) }
        var copies: [Copy] = []
        for (number, snapshot) in snapshots.enumerated() {
          line.show("copying", number, snapshots.count)
          do {
            let copy = try source.copy(snapshot, to: target) { try Interruption.check() }
            copies.append(Copy(snapshot: "\(snapshot.id)", newSnapshot: "\(copy.id)"))
          } catch let error as ArchiveError where error.code == .damaged {
            line.clear()
            printError("Snapshot \(snapshot.id.short) of \(formattedDate(snapshot.time)) was not copied: \(error)")
            damaged.append(snapshot)
          }
        }
        return copies
      }
    }
    line.clear()
    for copy in copies {
      if report.json {
        try printJSON(copy)
      } else {
        try StandardOutput.line("Snapshot \(copy.snapshot.prefix(8)) copied as \(copy.newSnapshot.prefix(8)).")
      }
    }
    if !report.json {
      let rest = damaged.isEmpty ? "" : " Not copied: \(counted(damaged.count, "damaged snapshot")), listed above."
      try StandardOutput.line("Copied \(counted(copies.count, "snapshot")).\(rest)")
    }
    if !damaged.isEmpty {
      printError("'todana archive verify' lists the damaged files.")
      throw ExitStatus.somethingWrong
    }
  }

  /// Tests whether two paths lead to one directory.
  private func isSameDirectory(_ first: String, _ second: String) -> Bool {
    var (one, other) = (stat(), stat())
    return unsafe stat(cPath(first), &one) == 0 && stat(cPath(second), &other) == 0 && one.st_dev == other.st_dev
      && one.st_ino == other.st_ino
  }

  /// Opens the target, and names it in the error if its passphrase is wrong.
  private func withTarget<Result>(_ path: String, _ body: (Archive) throws -> Result) throws -> Result {
    do {
      return try options.withArchive(path, .write, secret: try targetSecret.given(), body)
    } catch let error as CannotOpen where error.storeError?.code == .wrongKey {
      guard try targetSecret.given() == nil else { throw error }
      throw CannotOpen(
        "\(error.description) If the target has another passphrase or key than the first archive, pass it with "
          + "--target-passphrase-file, --target-key-file or --target-recovery-key-file.")
    }
  }

  private struct Copy: Encodable {
    let snapshot: String
    let newSnapshot: String
  }
}
