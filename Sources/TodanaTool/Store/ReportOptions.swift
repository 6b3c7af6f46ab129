import ArgumentParser

/// How a command says what it found.
struct ReportOptions: ParsableArguments {
  @Flag(help: "For programs: one JSON document.") var json = false
  @Flag(help: "Show no progress.") var quiet = false
}

/// How a command shows a list.
struct ListOptions: ParsableArguments {
  @Flag(help: "For programs: JSON, one value a line.") var json = false
}
