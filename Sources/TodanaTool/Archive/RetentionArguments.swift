import ArgumentParser
import Foundation
import TodanaArchive

/// The options that select the snapshots to keep.
struct RetentionArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Keep the newest n snapshots.", valueName: "n")) var keepLast: String?
  @Option(help: ArgumentHelp("Keep the newest snapshot of each of the last n hours that have one.", valueName: "n"))
  var keepHourly: String?
  @Option(help: ArgumentHelp("Keep the newest snapshot of each of the last n days that have one.", valueName: "n"))
  var keepDaily: String?
  @Option(help: ArgumentHelp("Keep the newest snapshot of each of the last n weeks that have one.", valueName: "n"))
  var keepWeekly: String?
  @Option(help: ArgumentHelp("Keep the newest snapshot of each of the last n months that have one.", valueName: "n"))
  var keepMonthly: String?
  @Option(help: ArgumentHelp("Keep the newest snapshot of each of the last n years that have one.", valueName: "n"))
  var keepYearly: String?
  @Option(
    help: ArgumentHelp(
      "Keep snapshots at most this much older than the newest, such as 1y5m7d2h.", valueName: "duration"))
  var keepWithin: String?
  @Option(
    help: ArgumentHelp(
      "Keep snapshots that have all of these comma-separated tags; can be repeated.", valueName: "tags"))
  var keepTag: [String] = []
  @Option(
    help: ArgumentHelp(
      "Group snapshots by these comma-separated properties, and apply the rules to each group.",
      valueName: "host|paths|label|tags"),
    completion: .list(["host", "paths", "label", "tags", "host,paths"]))
  var groupBy = "host,paths"

  /// Returns the policy of the options.
  ///
  /// - Throws: `ArgumentError`, for example if no rule keeps anything.
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
