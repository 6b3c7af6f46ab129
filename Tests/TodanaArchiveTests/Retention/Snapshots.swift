import Foundation
import TodanaArchive

/// Returns the instant of an ISO 8601 text, such as `2026-03-29T01:00:00Z`.
func instant(_ text: String) -> Date {
  guard let date = try? Date(text, strategy: .iso8601) else { preconditionFailure("not an instant: \(text)") }
  return date
}

func zone(_ name: String) -> TimeZone {
  guard let zone = TimeZone(identifier: name) else { preconditionFailure("not a time zone: \(name)") }
  return zone
}

/// Returns snapshots of one group, whose ids are their times.
func snapshots(_ times: [String], tags: [String] = []) -> [RetentionSnapshot] {
  times.map {
    RetentionSnapshot(id: Array($0.utf8), time: instant($0), host: "ann", paths: [Array("/home".utf8)], tags: tags)
  }
}

func policy<Failure: Error>(
  _ configure: (inout RetentionPolicy) throws(Failure) -> Void
) throws(Failure) -> RetentionPolicy {
  var policy = RetentionPolicy()
  try configure(&policy)
  return policy
}

let utc = zone("UTC")
let lateNow = instant("2500-01-01T00:00:00Z")

extension RetentionPolicy {
  /// Returns the times of the kept snapshots in one group, newest first.
  func keptTimes(_ times: [String], in zone: TimeZone = utc, now: Date = lateNow) throws -> [String] {
    try plan(for: snapshots(times), in: zone, now: now).kept.map { String(decoding: $0.id, as: UTF8.self) }
  }
}
