import ArgumentParser

/// The options for the form of a command's report.
struct ReportOptions: ParsableArguments {
  @Flag(help: "Print the report as one JSON document.") var json = false
  @Flag(help: "Show no progress.") var quiet = false
}

/// The options for the form of a list.
struct ListOptions: ParsableArguments {
  @Flag(help: "Print JSON, one value per line.") var json = false
}
