import ArgumentParser
import Todana

/// The command `todana store verify`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every page and every record of a store.",
    discussion: """
      Changes nothing. For indexes, checks the number of entries, and that each belongs to an existing row. Only a \
      program with the classes can also check the values of entries, and references between objects (Store.verify).

      \(EnvironmentHelp.store)
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: ReportOptions

  func run() throws {
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    let report = try store.withStore { store in
      try store.verify {
        line.show("\($0.phase) of \($0.name)", $0.doneCount, $0.totalCount)
        try Interruption.check()
      }
    }
    line.clear()
    if options.json { try printJSON(report) } else { try show(report) }
    if !report.isSound { throw ExitStatus.somethingWrong }
  }

  private func show(_ report: VerificationReport) throws {
    for line in Self.lines(of: report.problems) { try StandardOutput.line(printableMessage(line)) }
    if report.problemCount > report.problems.count {
      try StandardOutput.line("… and \(formattedCount(report.problemCount - report.problems.count)) more problems")
    }
    try StandardOutput.line(
      "\(counted(report.recordCount, "record")) and index entries on \(counted(report.pageCount, "page")): "
        + (report.isSound ? "nothing is damaged." : "\(counted(report.damageCount, "damaged part"))."))
    if !report.isSound { try StandardOutput.line(advice(report)) }
  }

  /// Returns the next step for the user of a damaged store.
  private func advice(_ report: VerificationReport) -> String {
    let path = printable(store.store)
    let isListed = report.problemCount == report.problems.count
    let damage = report.problems.filter(\.kind.isDamage)
    if isListed, damage.allSatisfy({ $0.kind == .damagedCopy }) {
      return "No data are lost: only one of two copies is damaged. Make a backup."
    }
    if isListed, damage.allSatisfy({ $0.kind == .wrongIndex }) {
      return "Only indexes are damaged. Rebuild them: todana store index rebuild \(path) CLASS"
    }
    return "Restore a backup, or copy all readable records to a new store: todana store salvage \(path) NEW"
  }

  /// Returns a line for each problem, but only one for the same problem of successive rows.
  private static func lines(of problems: [VerificationReport.Problem]) -> [String] {
    var lines: [String] = []
    var next = 0
    while next < problems.count {
      let first = problems[next]
      var last = first
      next += 1
      while next < problems.count, follows(problems[next], last) {
        last = problems[next]
        next += 1
      }
      if let className = first.className, let start = first.rowID, let end = last.rowID, start < end {
        lines.append("\(className) rows \(start) to \(end): \(first.message)")
      } else {
        lines.append("\(first)")
      }
    }
    return lines
  }

  /// Tests whether a problem is the same as another one, and concerns the next row.
  private static func follows(_ problem: VerificationReport.Problem, _ other: VerificationReport.Problem) -> Bool {
    guard let rowID = problem.rowID, let otherRowID = other.rowID, otherRowID < rowID, rowID - otherRowID == 1 else {
      return false
    }
    return problem.kind == other.kind && problem.className == other.className && problem.message == other.message
      && problem.file == nil && other.file == nil
  }
}
