internal import Foundation
internal import Synchronization
internal import Todana

/// The result of verifying an archive.
public struct ArchiveVerification: Sendable {
  /// A file of a snapshot that cannot be restored completely.
  public struct DamagedFile: Sendable, Hashable {
    public let snapshot: SnapshotID
    /// The path from the top of the snapshot; if it is a directory, all files below it may be lost.
    public let path: [UInt8]
    public let isDirectory: Bool
  }

  /// The amount of content that is read.
  public enum Scope: Sendable, Hashable {
    /// All content.
    case everything
    /// A random sample; the value is its share of the content, from 0 to 1.
    case sample(Double)
    /// No content: only snapshots, directories, and the presence of the rows they refer to.
    case structure
  }

  public let scope: Scope
  public var snapshotCount = 0
  public var contentCount = 0
  public var readByteCount: Int64 = 0
  /// Descriptions of the problems in the store: the first 1,000; ``problemCount`` counts all.
  public var problems: [String] = []
  public var problemCount = 0
  /// The files that the problems affect, by snapshot and path: the first 100,000; ``damagedFileCount`` counts all.
  public var damagedFiles: [DamagedFile] = []
  public var damagedFileCount = 0
  /// Whether there is damage that adding files again cannot repair.
  ///
  /// For example, a file of the store is missing, or a snapshot cannot be read. `Store.salvage` copies the readable
  /// data of such an archive to a new one.
  public var isStructureDamaged = false
  /// The number of problems that concern a copy of data of which another copy is sound.
  ///
  /// The next opening for writing repairs them.
  public var damagedCopyCount = 0
  /// Whether content of files is missing, as in a salvaged archive.
  ///
  /// Adding the files again completes the new snapshot, but not the earlier ones: the names of the content are lost.
  public var lacksContent = false
  /// Whether ``Archive/noteDamage(_:)`` would change the notes of known damage.
  public var hasNews: Bool { !damagedPlaces.isEmpty || !soundPlaces.isEmpty }
  /// The rows that were found damaged and are not noted yet.
  var damagedPlaces: Set<KnownDamage.Place> = []
  /// The rows that are noted as damaged and were found sound.
  var soundPlaces: [KnownDamage.Place] = []

  /// Whether the part of the archive that was checked has no problems.
  public var isSound: Bool { problemCount == 0 }

  init(_ scope: Scope) { self.scope = scope }

  mutating func add(_ problem: String) {
    problemCount += 1
    if problems.count < 1000 { problems.append(problem) }
  }

  mutating func add(_ file: DamagedFile) {
    damagedFileCount += 1
    if damagedFiles.count < 100_000 { damagedFiles.append(file) }
  }
}

extension Archive {
  /// The progress of a verification.
  public struct VerifyProgress: Sendable {
    public var contentCount = 0
    public var readByteCount: Int64 = 0
    public var totalContentCount = 0
  }

  /// Checks whether the archive is unchanged, and finds the damaged files of each snapshot.
  ///
  /// By default it reads every page of every store file, every record, and all content. Content is decompressed and its
  /// hash is compared with its name. Content that is not read counts as sound, unless ``noteDamage(_:)`` has noted it
  /// as damaged.
  ///
  /// - Parameters:
  ///   - scope: The amount of content to read.
  ///   - progress: Called a few times a second; throws to cancel.
  /// - Returns: The result. Damage is reported in it, not thrown.
  /// - Throws: Errors of `progress`; `StoreError` if the store cannot be read at all.
  public func verify(
    _ scope: ArchiveVerification.Scope = .everything, progress: (VerifyProgress) throws -> Void = { _ in }
  ) throws -> ArchiveVerification {
    var result = ArchiveVerification(scope)
    let (contents, smallFiles, pages) = (CheckedRows(), CheckedRows(), CheckedRows())
    let share: Double =
      switch scope {
      case .everything: 1
      case .sample(let share): share
      case .structure: 0
      }
    let wantedCount = Int(Double(try store.catalog[StoredContent.self]?.recordCount ?? 0) * share)
    var lastRelease = ContinuousClock.now
    func tell() throws {
      // Every file is read; release its pages so that they do not accumulate.
      if lastRelease.duration(to: .now) > .milliseconds(50) {
        try store.releaseMemory()
        lastRelease = .now
      }
      try progress(
        VerifyProgress(
          contentCount: contents.readCount, readByteCount: contents.byteCount, totalContentCount: wantedCount))
    }
    try check(contents, smallFiles, pages, share, &result, tell)
    let snapshots = try soundSnapshots(&result)
    result.snapshotCount = snapshots.count
    result.contentCount = contents.readCount
    result.readByteCount = contents.byteCount
    let damage = try content.damage
    if share == 0 {
      for place in damage.places where place.kind == .content && damage.isLost(place) {
        contents.add(damaged: place.row, ContentChecker.knownDamage.message)
      }
    }
    for (name, kind, rows) in [
      ("content", .content, contents), ("small file", .smallFile, smallFiles), ("directory page", .page, pages),
    ] as [(String, KnownDamage.Kind, CheckedRows)] {
      for (row, reason) in rows.damaged {
        let place = KnownDamage.Place(kind: kind, row: row)
        let isReplaced = damage.current(place).map { rows.isSound($0) } ?? false
        result.add("The \(name) \(row) is damaged\(isReplaced ? ", but was stored again" : ""): \(reason)")
        if !damage.contains(place) { result.damagedPlaces.insert(place) }
      }
      if share >= 1 { result.soundPlaces += damage.places.filter { $0.kind == kind && rows.isSound($0.row) } }
    }
    let checker = SnapshotChecker(
      content: content, contents: contents, smallFiles: smallFiles, pages: pages, knowsContents: share > 0,
      damage: damage)
    let isWhole = try checker.findMissing(snapshots, tell) { problem, isMissing in
      result.add(problem)
      result.lacksContent = result.lacksContent || isMissing
    }
    if isWhole { return result }
    for snapshot in snapshots {
      try checker.forEachDamaged(snapshot, tell) { path, isDirectory in
        result.add(.init(snapshot: snapshot.id, path: path, isDirectory: isDirectory))
      }
    }
    return result
  }

  /// Checks the store on this thread while other threads check content, then small files, then pages.
  private func check(
    _ contents: CheckedRows, _ smallFiles: CheckedRows, _ pages: CheckedRows, _ share: Double,
    _ result: inout ArchiveVerification, _ tell: () throws -> Void
  ) throws {
    let (key, backend) = (key, store.backend)
    let catalog = try store.catalog
    let state = Mutex<(any Error)?>(nil)
    let isStopped = Flag()
    func run(
      _ type: StoredObject.Type, _ body: @escaping @Sendable (ContentChecker, RowQueue) throws -> Void
    ) throws -> WorkingThreads {
      let queue = RowQueue(end: catalog[type]?.nextRowID ?? 1)
      let threads = WorkingThreads()
      do {
        for _ in 0..<max(1, ProcessInfo.processInfo.activeProcessorCount) {
          try threads.start {
            do {
              try body(ContentChecker(.beside(backend), key, share: type == StoredContent.self ? share : 1), queue)
            } catch {
              state.withLock { $0 = $0 ?? error }
              isStopped.set()
            }
          }
        }
      } catch {
        isStopped.set()
        threads.wait()
        throw error
      }
      return threads
    }
    func finish(_ threads: WorkingThreads) throws {
      do {
        while !threads.wait(within: 0.1) { try tell() }
      } catch {
        isStopped.set()
        threads.wait()
        throw error
      }
      if let error = state.withLock({ $0 }) { throw error }
    }
    let first = try run(StoredContent.self) { checker, queue in
      if share > 0 { try checker.checkContents(queue, contents) { isStopped.isSet } }
    }
    do {
      if share >= 1 {
        let report = try store.verify { _ in try tell() }
        var known: Set<String> = []
        // A missing file is reported once as a file, and once by reading its records.
        for problem in report.problems where known.insert("\(problem)").inserted {
          result.add("\(problem)")
          switch problem.kind {
          // Damaged content is stored again when it is added, and a damaged copy is written again.
          case .damagedCopy: result.damagedCopyCount += 1
          case .damagedPage, .damagedRecord: break
          default: result.isStructureDamaged = true
          }
        }
        // The problems that are not listed may be any.
        if report.problemCount > report.problems.count { result.isStructureDamaged = true }
      }
    } catch {
      isStopped.set()
      first.wait()
      throw error
    }
    try finish(first)
    try finish(
      try run(StoredSmallFile.self) { checker, queue in
        try checker.checkSmallFiles(queue, smallFiles, in: contents, readsContent: share >= 1) { isStopped.isSet }
      })
    try finish(
      try run(StoredTreePage.self) { checker, queue in try checker.checkPages(queue, pages) { isStopped.isSet } })
  }

  /// Returns the readable snapshots, the oldest first, and adds a problem for each damaged one.
  private func soundSnapshots(_ result: inout ArchiveVerification) throws -> [Snapshot] {
    var snapshots: [Snapshot] = []
    var problems: [String] = []
    do {
      try store.forEach(
        StoredSnapshot.self, onDamage: .report { problems.append("A snapshot is damaged: \($0)") }
      ) { stored, _ in snapshots.append(try Snapshot(stored)) }
    } catch let error as StoreError where ContentStore.isDamage(error) {
      problems.append("The snapshots cannot be read: \(error)")
    }
    for problem in problems { result.add(problem) }
    if !problems.isEmpty { result.isStructureDamaged = true }
    return snapshots.sorted { ($0.time, $0.rowID) < ($1.time, $1.rowID) }
  }
}

/// A thread-safe flag that can be set, but not cleared.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}

extension Archive {
  /// Notes the damage that a verification has found, so that adding the same content again replaces it.
  ///
  /// Until then nothing changes. Once damaged content is replaced, all snapshots can be restored again. The damaged
  /// rows remain in the store's files; copies of the archive do not contain them.
  ///
  /// - Parameter found: A result of ``verify(_:progress:)`` for this archive.
  /// - Returns: The number of rows that are now noted as damaged.
  /// - Throws: `StoreError`, for example if the archive was opened for reading only.
  @discardableResult
  public func noteDamage(_ found: ArchiveVerification) throws -> Int {
    var count = 0
    try content.changeDamage { damage in
      for place in found.soundPlaces { try damage.remove(place) }
      for place in found.damagedPlaces.sorted(by: { ($0.kind.rawValue, $0.row) < ($1.kind.rawValue, $1.row) }) {
        try damage.add(place)
      }
      count = Array(damage.places).count
    }
    try store.saveChanges()
    return count
  }
}
