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

      Examples:
        todana store verify Music.todana
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
    if options.json {
      try printJSON(VerificationOutput(report, advice: report.problemCount > 0 ? advice(report) : nil))
    } else {
      try show(report)
    }
    if report.problemCount > 0 { throw ExitStatus.somethingWrong }
  }

  private func show(_ report: VerificationReport) throws {
    for line in Self.lines(of: report.uniqueProblems) { try StandardOutput.line(printableMessage(line)) }
    if report.problemCount > report.problems.count {
      try StandardOutput.line("… and \(formattedCount(report.problemCount - report.problems.count)) more problems")
    }
    try StandardOutput.line(
      "\(counted(report.recordCount, "record")), \(counted(report.namedBufferCount, "named buffer")) and "
        + "\(counted(report.indexEntryCount, "index entry", "index entries")) on \(counted(report.pageCount, "page")): "
        + (report.isSound ? "nothing is damaged." : "\(counted(report.uniqueDamageCount, "damaged part"))."))
    if report.problemCount > 0 { try StandardOutput.line(advice(report)) }
  }

  /// Returns the next step for the user of a damaged store.
  private func advice(_ report: VerificationReport) -> String {
    let path = printable(store.store)
    let isListed = report.problemCount == report.problems.count
    let damage = report.problems.filter(\.kind.isDamage)
    if report.isSound {
      return "No data are damaged. Open the store with the program that has the classes to repair these problems."
    }
    if isListed, damage.allSatisfy({ $0.kind == .damagedCopy }) {
      return "No data are lost: only one of two copies is damaged. A program that opens the store for writing repairs "
        + "it, and so does: todana store compact \(path)"
    }
    if isListed, damage.allSatisfy({ $0.isOfIndex }) {
      return "Only indexes are damaged. Rebuild them: todana store index rebuild \(path) CLASS"
    }
    return "Restore a backup, or copy all readable records to a new store: todana store salvage \(path) NEW"
  }

  /// A problem of several rows.
  private struct RowProblem: Hashable {
    let kind: VerificationReport.Kind
    let className: String
    let message: String
  }

  /// Returns a line for each problem, but only one for the same problem of several rows.
  private static func lines(of problems: [VerificationReport.Problem]) -> [String] {
    var rows: [RowProblem: [RowID]] = [:]
    let keys = problems.map { problem -> RowProblem? in
      guard problem.file == nil, let className = problem.className, let rowID = problem.rowID else { return nil }
      let key = RowProblem(kind: problem.kind, className: className, message: problem.message)
      rows[key, default: []].append(rowID)
      return key
    }
    return zip(problems, keys).compactMap { problem, key in
      guard let key else { return "\(problem)" }
      // The line is at the place of the first row.
      return rows.removeValue(forKey: key).map { "\(key.className) \(RowRanges($0)): \(key.message)" }
    }
  }
}

extension VerificationReport.Problem {
  /// Whether only an index is affected, whose name then begins the message.
  fileprivate var isOfIndex: Bool {
    kind == .wrongIndex || message.hasPrefix("Index \"") || message.hasPrefix("Text index \"")
  }
}
