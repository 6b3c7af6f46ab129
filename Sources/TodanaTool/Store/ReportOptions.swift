import ArgumentParser

/// The options for the form of a command's report.
struct ReportOptions: ParsableArguments {
  @Flag(help: "For programs: one JSON document.") var json = false
  @Flag(help: "Show no progress.") var quiet = false
}

/// The options for the form of a list.
struct ListOptions: ParsableArguments {
  @Flag(help: "For programs: JSON, one value a line.") var json = false
}
