import ArgumentParser
import Foundation
import TodanaArchive

/// The options that select the snapshots to keep.
struct RetentionArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Keep the newest so many.", valueName: "n")) var keepLast: String?
  @Option(help: ArgumentHelp("Keep the newest of each of so many hours that have any.", valueName: "n"))
  var keepHourly: String?
  @Option(help: ArgumentHelp("Keep the newest of each of so many days that have any.", valueName: "n"))
  var keepDaily: String?
  @Option(help: ArgumentHelp("Keep the newest of each of so many weeks that have any.", valueName: "n"))
  var keepWeekly: String?
  @Option(help: ArgumentHelp("Keep the newest of each of so many months that have any.", valueName: "n"))
  var keepMonthly: String?
  @Option(help: ArgumentHelp("Keep the newest of each of so many years that have any.", valueName: "n"))
  var keepYearly: String?
  @Option(
    help: ArgumentHelp("Keep those that are not older, counted back from the newest: 1y5m7d2h.", valueName: "duration"))
  var keepWithin: String?
  @Option(
    help: ArgumentHelp("Keep those that have all of these tags; several are allowed.", valueName: "tag,..."))
  var keepTag: [String] = []
  @Option(
    help: ArgumentHelp(
      "Which snapshots the rules look at together: those with the same host, paths, label, tags.", valueName: "what"))
  var groupBy = "host,paths"

  /// Returns the policy of the options.
  ///
  /// - Throws: `ArgumentError`, also if no rule keeps anything.
  func policy() throws -> RetentionPolicy {
    func count(_ text: String?) throws -> KeepCount { try text.map { try KeepCount($0) } ?? .none }
    var policy = RetentionPolicy()
    policy.last = try count(keepLast)
    policy.hourly = try count(keepHourly)
    policy.daily = try count(keepDaily)
    policy.weekly = try count(keepWeekly)
    policy.monthly = try count(keepMonthly)
    policy.yearly = try count(keepYearly)
    policy.within = try keepWithin.map { try CalendarDuration($0) }
    policy.tags = try keepTag.map { try TagSet($0) }
    // Check the policy before asking for a passphrase.
    _ = try policy.plan(for: [], in: .current, now: Date())
    return policy
  }
}
