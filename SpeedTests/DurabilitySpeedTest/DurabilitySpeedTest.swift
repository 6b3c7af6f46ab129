import ArgumentParser

/// Measures what durability costs, and how long anybody waits for it: recovery, commits of many threads, pauses.
@main struct DurabilitySpeedTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures recovery, group commit, and the pauses that checkpoints and compaction make.",
    subcommands: [Recovery.self, GroupCommit.self, Pauses.self, InterruptedSaves.self])
}

/// Where the stores are made.
struct Place: ParsableArguments {
  @Option(help: "Where the stores are made, on the disk to be measured.")
  var directory = "."
}
