import ArgumentParser
import Todana

/// The command `todana store verify`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks every page and every record of a store.",
    discussion: """
      Changes nothing. References between objects, and the values of index entries, are not checked: only a program \
      with the classes can do that (Store.verify).

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
    for problem in report.problems { try StandardOutput.line(printableMessage("\(problem)")) }
    if report.problemCount > report.problems.count {
      try StandardOutput.line("and \(report.problemCount - report.problems.count) more")
    }
    try StandardOutput.line(
      "\(counted(report.recordCount, "record")) on \(counted(report.pageCount, "page")): "
        + (report.isSound ? "nothing is damaged" : "\(report.damageCount) damaged"))
  }
}
