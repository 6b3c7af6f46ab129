// Kills a process at random moments while it backs up into a series and prunes it. The backups that were acknowledged
// and not pruned are sound and can be restored, and further backups succeed.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct KilledBackupTests {
  @Test func `a process killed in mid-backup leaves the earlier backups whole`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let series = BackupSeries(at: path + ".series")
    var generator = SystemRandomNumberGenerator()
    /// The save count of each backup that was acknowledged.
    var saveCounts: [Int: Int] = [:]
    for round in 0..<(LongTests.areEnabled ? 100 : 10) {
      let child = try ChildProcess(["store-series", path])
      try #require(child.nextLine() == "open")
      var lines: [String] = []
      // Every second process completes at least one backup, even on a busy machine.
      if round % 2 == 1 { lines.append(try #require(child.nextLine())) }
      usleep(.random(in: 0...120_000, using: &generator))
      child.kill()
      lines += child.remainingLines()
      var firstKept = 1
      for line in lines {
        let words = line.split(separator: " ")
        let number = try #require(words.dropFirst().first.flatMap { Int($0) }, "\(line)")
        if words.first == "kept" {
          firstKept = max(firstKept, (saveCounts.keys.max() ?? 0) - number + 1)
        } else {
          try #require(words.first == "backup", "\(line)")
          saveCounts[number] = words.last.flatMap { Int($0) }
        }
      }
      if saveCounts.isEmpty, try series.backups().isEmpty { continue }
      let report = try series.verify()
      try #require(report.isSound, "round \(round): \(report.damages)")
      let backups = try series.backups().map(\.number)
      for number in saveCounts.keys where number >= firstKept && number > (backups.max() ?? 0) - 3 {
        #expect(backups.contains(number), "round \(round): backup \(number) was acknowledged, \(backups) are there")
      }
      for number in backups.suffix(2) {
        try series.restore(number, to: directory.path("restored"))
        let store = try Store(.directory(directory.path("restored")), classes: SaveWorkload.classes)
        let state = try SaveWorkload.State(of: store)
        try #require(state == SaveWorkload.State(after: state.saveCount), "round \(round), backup \(number)")
        if let saveCount = saveCounts[number] { #expect(state.saveCount == saveCount) }
        try store.close()
        try FileManager.default.removeItem(atPath: directory.path("restored"))
      }
    }
    print("\(saveCounts.count) backups were acknowledged")
    #expect(saveCounts.count > 4)
  }
}
