import ArgumentParser

/// The options for the form of a command's report.
struct ReportOptions: ParsableArguments {
  @Flag(help: "Print the report as one JSON object.") var json = false
  @Flag(help: "Show no progress, and no message about waiting.") var quiet = false
}

/// The options for the form of a report with a line for each snapshot.
struct SnapshotReportOptions: ParsableArguments {
  @Flag(help: "Print JSON, one snapshot per line.") var json = false
  @Flag(help: "Show no progress, and no message about waiting.") var quiet = false
}

/// The options for the form of a list.
struct ListOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object per line.") var json = false
}
