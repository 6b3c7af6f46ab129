import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

/// Tests that a damaged archive reports the damage and still returns all undamaged files.
@Suite struct ArchiveDamageTests {
  /// Makes an archive of large files with a few chunks, small files and directories.
  ///
  /// Its two snapshots share most of their content.
  private func makeArchive(directoryCount: Int = 4) throws -> (ScratchArchive, [Snapshot]) {
    let scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    var generator = SeededGenerator(seed: 3)
    for directory in 0..<directoryCount {
      try scratch.directory.make("from/\(directory)")
      for number in 0..<12 {
        let length = number < 3 ? 70_000 : Int.random(in: 100...3000, using: &generator)
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try Data(bytes).write(to: URL(filePath: scratch.directory.path("from/\(directory)/\(number)")))
      }
    }
    let first = try scratch.add("from")
    try scratch.directory.write("new", to: "from/0/new")
    let second = try scratch.add("from")
    return (scratch, [first, second].compactMap(\.snapshot))
  }

  @Test func `a sound archive verifies as sound, however much of it is read`() throws {
    let (scratch, snapshots) = try makeArchive()
    for scope in [.everything, .sample(0.3), .structure] as [ArchiveVerification.Scope] {
      let found = try scratch.archive.verify(scope)
      #expect(found.isSound, "\(found.problems)")
      #expect(found.snapshotCount == snapshots.count)
      let contentCount = try scratch.rowCount(StoredContent.self)
      switch scope {
      case .everything:
        #expect(found.contentCount == contentCount)
        #expect(found.readByteCount > 800_000)
      case .sample: #expect(found.contentCount > 0 && found.contentCount < contentCount)
      case .structure: #expect(found.contentCount == 0)
      }
    }
  }

  @Test(arguments: [KyotoBackend.Access.read, .write])
  func `a missing, empty or zeroed file is reported, and putting it back restores everything`(
    _ access: KyotoBackend.Access
  ) throws {
    let (scratch, snapshots) = try makeArchive(directoryCount: 1)
    try scratch.archive.close()
    let files = try scratch.directory.names("archive").filter { $0 != "lock" }
    try Command.run("cp", ["-r", scratch.path, scratch.directory.path("sound")])
    var configuration = ScratchArchive.configuration
    configuration.access = access
    for name in files {
      let file = URL(filePath: scratch.path + "/" + name)
      let content = try Data(contentsOf: file)
      for loss in [nil, Data(), Data(count: content.count)] as [Data?] {
        let problem = "\(name), \(loss?.count ?? -1) bytes left"
        try FileManager.default.removeItem(at: file)
        try loss?.write(to: file)
        do {
          let archive = try Archive(at: scratch.path, configuration: configuration)
          defer { try? archive.close() }
          #expect(try archive.snapshots().map(\.id) == snapshots.map(\.id), "\(problem)")
          // Opening for writing copies the intact key file over the other one.
          let isRepaired = access == .write && name.hasPrefix("keys")
          #expect(try archive.verify().isSound == isRepaired, "\(problem)")
        } catch {
          #expect(error is StoreError || error is BackendError || error is ArchiveError, "\(problem): \(error)")
        }
        try content.write(to: file)
        let archive = try Archive(at: scratch.path, configuration: ScratchArchive.readingConfiguration)
        #expect(try archive.verify(.structure).isSound, "\(problem), put back")
        #expect(try archive.snapshots().map(\.id) == snapshots.map(\.id), "\(problem), put back")
        try archive.close()
        if access == .read { continue }
        try Command.run("rm", ["-rf", scratch.path])
        try Command.run("cp", ["-r", scratch.directory.path("sound"), scratch.path])
      }
    }
  }

  @Test func `each flipped bit is found, and damages only the files that are reported`() throws {
    let (scratch, snapshots) = try makeArchive()
    try scratch.archive.close()
    let snapshot = try #require(snapshots.last)
    // The lock file only records which process has the archive open.
    let files = try scratch.directory.names("archive").filter { $0 != "lock" }
    #expect(files.count >= 20)
    // File names do not reveal their contents; the largest file has the content.
    let contents = try #require(
      files.max { left, right in
        let attributes = [left, right].map {
          try? FileManager.default.attributesOfItem(atPath: scratch.path + "/" + $0)
        }
        return (attributes[0]?[.size] as? Int ?? 0) < (attributes[1]?[.size] as? Int ?? 0)
      })
    try Command.run("cp", ["-r", scratch.path, scratch.directory.path("sound")])
    var generator = SeededGenerator(seed: 4)
    var damagedCount = 0
    let isLong = ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] != nil
    for name in files.flatMap({ Array(repeating: $0, count: isLong ? 6 : 1) })
      + Array(repeating: contents, count: isLong ? 40 : 6)
    {
      try Command.run("rm", ["-rf", scratch.path])
      try Command.run("cp", ["-r", scratch.directory.path("sound"), scratch.path])
      let position = try flip(scratch.path + "/" + name, &generator)
      let problem = "\(name) at \(position)"
      let archive = try Archive(at: scratch.path, configuration: ScratchArchive.readingConfiguration)
      let found = try archive.verify()
      let target = scratch.directory.path("to")
      try Command.run("rm", ["-rf", target])
      #expect(!found.isSound, "\(problem)")
      let progress = try archive.extract(snapshot, to: Array(target.utf8))
      if progress.counts.failures > 0 { damagedCount += 1 }
      let named = Set(
        found.damagedFiles.filter { $0.snapshot == snapshot.id }.map { String(decoding: $0.path, as: UTF8.self) })
      for (path, isSame) in try compare(scratch) {
        // A damaged directory stands for everything in it. The top of a snapshot has the empty path.
        let isNamed = named.contains(path) || named.contains { $0.isEmpty || path.hasPrefix($0 + "/") }
        if !isSame { #expect(isNamed, "\(problem): \(path) is not named") }
        if named.contains(path) { #expect(!isSame, "\(problem): \(path) is named, and whole") }
      }
      try archive.close()
    }
    #expect(damagedCount > 2)
  }

  @Test func `truncation of any file is found`() throws {
    let (scratch, _) = try makeArchive()
    try scratch.archive.close()
    let files = try scratch.directory.names("archive").filter { $0.hasSuffix(".kch") && !$0.contains("catalog") }
    #expect(files.count >= 4)
    for name in files {
      let url = URL(filePath: scratch.path + "/" + name)
      let content = try Data(contentsOf: url)
      try content.prefix(content.count / 2).write(to: url)
      // Opening fails if the truncated file contains the named buffer that identifies an archive.
      if let archive = try? Archive(at: scratch.path, configuration: ScratchArchive.configuration) {
        #expect(try archive.verify().isSound == false, "\(name)")
        try archive.close()
      }
      try content.write(to: url)
    }
    #expect(try Archive(at: scratch.path, configuration: ScratchArchive.configuration).verify().isSound)
  }

  private func flip(_ path: String, _ generator: inout SeededGenerator) throws -> Int {
    var data = try Data(contentsOf: URL(filePath: path))
    let position = Int.random(in: 0..<data.count, using: &generator)
    data[position] ^= 1 << UInt8.random(in: 0...7, using: &generator)
    try data.write(to: URL(filePath: path))
    return position
  }

  /// Returns the paths of all source files, and whether each restored file is identical.
  private func compare(_ scratch: ScratchArchive) throws -> [(path: String, isSame: Bool)] {
    try FileManager.default.subpathsOfDirectory(atPath: scratch.directory.path("from")).compactMap { name in
      let source = scratch.directory.path("from/\(name)")
      guard let content = try? Data(contentsOf: URL(filePath: source)) else { return nil }
      let restored = try? Data(contentsOf: URL(filePath: scratch.restored("from/\(name)", in: "to")))
      return (String(source.dropFirst()), content == restored)
    }
  }
}
