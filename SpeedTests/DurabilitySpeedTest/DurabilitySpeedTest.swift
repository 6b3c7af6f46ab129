import ArgumentParser

/// Measures the cost of durability: recovery, commits by many threads, and pauses.
@main struct DurabilitySpeedTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures recovery, group commit, and the pauses that checkpoints and compaction make.",
    subcommands: [Recovery.self, GroupCommit.self, Pauses.self, InterruptedSaves.self])
}

/// The directory for the stores.
struct Place: ParsableArguments {
  @Option(help: "Where the stores are made, on the disk to be measured.")
  var directory = "."
}
