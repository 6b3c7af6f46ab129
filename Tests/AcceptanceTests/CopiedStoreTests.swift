// Copies the directory of an open store file by file, as a user does by mistake. A copy of a store at rest has all saves.
// A copy made during saves has the state after one save, or using it reports an error; it never differs silently.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct CopiedStoreTests {
  /// The result of using a copy.
  private enum Outcome: Equatable {
    case state(saveCount: Int)
    case reported
    case differs(saveCount: Int)
  }

  private func copyFiles(
    from path: String, to copy: String, using random: inout SystemRandomNumberGenerator, pausing: Bool
  ) throws {
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    for name in try FileManager.default.contentsOfDirectory(atPath: path).shuffled(using: &random) {
      if pausing { usleep(.random(in: 0...3_000, using: &random)) }
      // The store removes logs while its files are copied.
      guard let content = FileManager.default.contents(atPath: "\(path)/\(name)") else { continue }
      try content.write(to: URL(filePath: "\(copy)/\(name)"))
    }
  }

  private func use(_ path: String, _ configuration: StoreConfiguration) -> Outcome {
    do {
      let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
      let state = try SaveWorkload.State(of: store)
      let isSound = try store.verify().isSound
      try store.close()
      guard isSound else { return .reported }
      return state == SaveWorkload.State(after: state.saveCount)
        ? .state(saveCount: state.saveCount) : .differs(saveCount: state.saveCount)
    } catch {
      return error is StoreError ? .reported : .differs(saveCount: -1)
    }
  }

  private static func configuration(_ settings: [String]) -> StoreConfiguration {
    StoreConfiguration(encryption: settings.contains("encrypted") ? SaveWorkload.encryption : .none)
  }

  @Test(arguments: [[], ["checkpoints"], ["encrypted"], ["encrypted", "checkpoints"]])
  func `a copy made during saves is right or reported`(_ settings: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    var random = SystemRandomNumberGenerator()
    let child = try ChildProcess(["store-save", path] + settings)
    var outcomes: [Outcome] = []
    for round in 0..<(LongTests.areEnabled ? 200 : 12) {
      let saveCount = try #require(child.nextLine())
      let copy = directory.path("copy \(round)")
      try copyFiles(from: path, to: copy, using: &random, pausing: true)
      let outcome = use(copy, Self.configuration(settings))
      if case .differs = outcome { Issue.record("round \(round), from save \(saveCount): \(outcome)") }
      outcomes.append(outcome)
      try FileManager.default.removeItem(atPath: copy)
    }
    child.kill()
    let reportedCount = outcomes.count { $0 == .reported }
    print("Copies during saves \(settings): \(outcomes.count - reportedCount) right, \(reportedCount) reported")
  }

  @Test(arguments: [[], ["encrypted"]])
  func `a copy of an open store at rest has all saves`(_ settings: [String]) throws {
    let directory = try TemporaryDirectory()
    var random = SystemRandomNumberGenerator()
    let path = directory.path("store")
    var configuration = Self.configuration(settings)
    configuration.detectsUnannouncedChanges = false
    let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
    for number in 1...(LongTests.areEnabled ? 300 : 40) {
      try SaveWorkload.save(number, to: store)
      if number % 10 != 0 { continue }
      let copy = directory.path("copy")
      try copyFiles(from: path, to: copy, using: &random, pausing: false)
      #expect(use(copy, Self.configuration(settings)) == .state(saveCount: number))
      try FileManager.default.removeItem(atPath: copy)
    }
    try store.close()
  }
}
