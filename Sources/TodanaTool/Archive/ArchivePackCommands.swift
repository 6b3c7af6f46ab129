import ArgumentParser
import Foundation
import Todana
import TodanaArchive

struct ArchivePackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Write a whole archive to one file or stream.",
    usage: "todana archive pack [<options>] <archive> [<file>]",
    discussion: """
      Writes to the standard output, or to a new file, which must not exist. The archive's bytes are not changed: an \
      encrypted archive stays encrypted. A pack is a tar file; 'todana archive unpack' creates an archive from it, \
      and checks each byte.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive pack /backup/Files.todana | ssh host todana archive unpack Files.todana
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(
    help: ArgumentHelp("The new file; by default or for -, the standard output.", valueName: "file"),
    completion: .file())
  var files: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup var report: ReportOptions

  private var arguments: [String] { [archive].compactMap(\.self) + files }

  func run() throws {
    let (path, file) = try PackArguments.split(arguments)
    if file == nil {
      if report.json { throw ValidationError("--json and a pack on the standard output cannot be used together.") }
      if isatty(STDOUT_FILENO) == 1 {
        throw ValidationError("A pack is not written to a terminal: give a file, or redirect the standard output.")
      }
    }
    let packed = try options.withArchive(path) { archive in
      var line = ProgressLine(isShown: !report.quiet && !report.json)
      defer { line.clear() }
      func show(_ progress: PackProgress) throws {
        try Interruption.check()
        line.show("packing", Int(progress.doneByteCount), Int(progress.byteCount))
      }
      try archive.refuse(toHold: file)
      guard let file else { return try archive.pack(to: STDOUT_FILENO, progress: show) }
      return try archive.pack(toFile: bytes(file), progress: show)
    }
    // Print no summary if the pack is written to the standard output.
    guard let file else { return }
    if report.json { return try printJSON(PackReport(packed, path)) }
    try StandardOutput.line(
      "Packed \(printable(path)) as of commit \(packed.commitNumber) to \(printable(file)): "
        + "\(counted(packed.fileCount, "file")), \(formattedSize(Int(packed.byteCount))).")
  }
}

struct ArchiveUnpackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpack",
    abstract: "Create an archive from a pack.",
    usage: "todana archive unpack [<options>] <archive> [<file>]",
    discussion: """
      Reads the standard input, unless a file is given. Each byte of the pack is checked. If the pack is damaged, no \
      archive is created. No passphrase is needed.

      \(EnvironmentHelp.archiveOnly)

      Examples:
        todana archive unpack Files.todana pack.tar
      """)

  @Argument(
    help: "The new archive's directory, which must not exist; omit it if TODANA_ARCHIVE is set.", completion: .directory
  )
  var archive: String?
  @Argument(
    help: ArgumentHelp("The pack's file; by default or for -, the standard input.", valueName: "file"),
    completion: .file())
  var files: [String] = []
  @OptionGroup var report: ReportOptions

  private var arguments: [String] { [archive].compactMap(\.self) + files }

  func run() throws {
    let (path, file) = try PackArguments.split(arguments)
    try TypedArguments.checkPath(path)
    if file == nil, isatty(STDIN_FILENO) == 1 {
      throw ValidationError("A pack is not read from a terminal: give its file, or redirect the standard input.")
    }
    let unpacked = try unpacked(InputDescriptor(file ?? "-"), path)
    if report.json { return try printJSON(PackReport(unpacked, path)) }
    try StandardOutput.line(
      "Unpacked \(printable(path)) as of commit \(unpacked.commitNumber), packed \(formattedDate(unpacked.date)): "
        + "\(counted(unpacked.fileCount, "file")), \(formattedSize(Int(unpacked.byteCount))).")
  }

  private func unpacked(_ input: borrowing InputDescriptor, _ path: String) throws -> PackSummary {
    var line = ProgressLine(isShown: !report.quiet && !report.json)
    defer { line.clear() }
    do {
      return try Archive.unpack(from: input.descriptor, to: path) { progress in
        try Interruption.check()
        line.show("unpacking", Int(progress.doneByteCount), Int(progress.byteCount))
      }
    } catch let error as ArchiveError where error.code == .notAPack || error.code == .newerFormat {
      throw CannotOpen("\(error)", isSomethingElse: error.code == .notAPack)
    } catch let error as StoreError where error.backendError?.code == .inUse {
      // Another process is creating an archive there.
      throw CannotOpen(error, path: path)
    }
  }
}

/// The archive and the file of a pack.
private enum PackArguments {
  /// Splits the arguments; no file means the standard output or input.
  ///
  /// Two arguments are always the archive and the file: a new archive is rarely the one that the environment names.
  static func split(_ arguments: [String]) throws -> (archive: String, file: String?) {
    var (archive, rest) = try ArchiveOptions.split(arguments)
    if arguments.count == 2 { (archive, rest) = (arguments[0], [arguments[1]]) }
    guard rest.count <= 1 else { throw ValidationError("Too many arguments: an archive and a file are expected.") }
    return (archive, rest.first == "-" ? nil : rest.first)
  }
}

private struct PackReport: Encodable {
  let path: String
  let identity: String
  let commitNumber: UInt64
  let time: Date
  let fileCount: Int
  let byteCount: Int64

  init(_ summary: PackSummary, _ path: String) {
    self.path = path
    identity = "\(summary.storeID)"
    (commitNumber, time) = (summary.commitNumber, summary.date)
    (fileCount, byteCount) = (summary.fileCount, summary.byteCount)
  }
}
