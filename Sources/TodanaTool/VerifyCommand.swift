import ArgumentParser
import Todana

/// `todana store verify`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks every page and every record of a store.",
    discussion: "Changes nothing. References between objects are not followed: that takes the program's classes.",
    version: TodanaTool.configuration.version)

  @Argument(help: "The store's directory.") var store: String
  @OptionGroup var secret: SecretOptions
  @Flag(help: "Print the report as JSON.") var json = false
  @Flag(help: "Show no progress.") var quiet = false

  func run() throws {
    var configuration = StoreConfiguration(encryption: try secret.encryption())
    configuration.backendOptions.access = .read
    let opened = try Store(.directory(store), classes: [], configuration: configuration)
    var line = ProgressLine(isShown: !quiet)
    let report = try opened.verify { line.show("\($0.phase) of \($0.name)", $0.doneCount, $0.totalCount) }
    line.clear()
    try opened.close()
    if json {
      try printJSON(report)
    } else {
      for problem in report.problems { print(problem) }
      if report.problemCount > report.problems.count {
        print("and \(report.problemCount - report.problems.count) more")
      }
      print(
        "\(counted(report.recordCount, "record")) on \(counted(report.pageCount, "page")): "
          + (report.isSound ? "nothing is damaged" : "\(report.damageCount) damaged"))
    }
    if !report.isSound { throw ExitStatus.somethingWrong }
  }
}
