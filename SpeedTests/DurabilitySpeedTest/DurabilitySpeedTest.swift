import ArgumentParser

/// Measures the cost of durability: recovery, commits by many threads, and pauses.
@main struct DurabilitySpeedTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure recovery, group commit, and pauses by checkpoints and compaction.",
    subcommands: [Recovery.self, GroupCommit.self, Pauses.self, InterruptedSaves.self])
}

/// The directory for the stores.
struct Place: ParsableArguments {
  @Option(help: "The directory for the stores, on the disk to be measured.")
  var directory = "."
}
