// Unit tests of the groups of snapshots and their order.
import Foundation
import Testing
import TodanaArchive

@Suite struct SnapshotGroupingTests {
  private func snapshot(_ id: UInt8, _ host: String, _ paths: [String], _ tags: [String] = []) -> RetentionSnapshot {
    RetentionSnapshot(
      id: [id], time: Date(timeIntervalSince1970: Double(id)), host: host, paths: paths.map { Array($0.utf8) },
      tags: tags)
  }

  private var all: [RetentionSnapshot] {
    [
      snapshot(1, "b", ["/x"]), snapshot(2, "a", ["/x", "/y"], ["t"]),
      snapshot(3, "a", ["/y", "/x", "/y"], ["u", "t"]),
      snapshot(4, "a", ["/x"], ["t", "u"]), snapshot(5, "b", ["/x"], ["t"]),
    ]
  }

  @Test(
    arguments: [
      (.standard, ["host a, paths /x", "host a, paths /x /y", "host b, paths /x"], [[4], [3, 2], [5, 1]]),
      (.host, ["host a", "host b"], [[4, 3, 2], [5, 1]]),
      (.paths, ["paths /x", "paths /x /y"], [[5, 4, 1], [3, 2]]),
      (.tags, ["no tags", "tags t", "tags t,u"], [[1], [5, 2], [4, 3]]),
      ([], ["all snapshots"], [[5, 4, 3, 2, 1]]),
    ] as [(SnapshotGrouping, [String], [[UInt8]])])
  func `snapshots are grouped`(_ grouping: SnapshotGrouping, _ names: [String], _ ids: [[UInt8]]) throws {
    let policy = policy { $0.last = .newest(1) }
    for order in [all, all.reversed()] {
      let plan = try policy.plan(for: order, groupedBy: grouping, in: utc, now: lateNow)
      #expect(plan.groups.map(\.key.description) == names)
      #expect(plan.groups.map { $0.entries.flatMap(\.snapshot.id) } == ids)
      #expect(plan.kept.flatMap(\.id) == ids.compactMap(\.first))
    }
  }

  @Test func `snapshots of equal times are ordered by their ids`() throws {
    let same = [UInt8](0..<20).map { RetentionSnapshot(id: [$0], time: lateNow, host: "", paths: []) }
    let policy = policy {
      $0.last = .newest(2)
      $0.daily = .newest(1)
    }
    let plan = try policy.plan(for: same.shuffled(), in: utc, now: lateNow)
    #expect(plan.kept.map(\.id) == [[0], [1]])
    #expect(plan.groups[0].entries.map(\.snapshot.id) == same.map(\.id))
  }
}
