internal import Foundation
internal import Synchronization
internal import Todana

/// What a look at a whole archive found.
public struct ArchiveVerification: Sendable {
  /// A file of a snapshot that cannot be restored as it was.
  public struct DamagedFile: Sendable, Hashable {
    public let snapshot: SnapshotID
    /// Of a directory, all that is in it may be lost.
    public let path: [UInt8]
    public let isDirectory: Bool
  }

  /// How much of the content was read.
  public enum Scope: Sendable, Hashable {
    /// All of it.
    case everything
    /// A random part, of 0 to 1.
    case sample(Double)
    /// None: only snapshots, directories and what they refer to.
    case structure
  }

  public let scope: Scope
  public var snapshotCount = 0
  public var contentCount = 0
  public var readByteCount: Int64 = 0
  /// What is wrong in the store: the first 1,000.
  public var problems: [String] = []
  public var problemCount = 0
  /// What that means for files, in the order of snapshots and paths: the first 100,000.
  public var damagedFiles: [DamagedFile] = []
  public var damagedFileCount = 0
  /// Whether there is something that ``Archive/noteDamage(_:)`` would note.
  public var hasNews: Bool { !damagedPlaces.isEmpty || !soundPlaces.isEmpty }
  /// Rows that are damaged.
  var damagedPlaces: Set<KnownDamage.Place> = []
  /// Rows that were known to be damaged, and are not.
  var soundPlaces: [KnownDamage.Place] = []

  /// Whether nothing is wrong, as far as was looked.
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
  /// How far a verification is.
  public struct VerifyProgress: Sendable {
    public var contentCount = 0
    public var readByteCount: Int64 = 0
    public var totalContentCount = 0
  }

  /// Looks whether everything is as it was stored, and says which files of which snapshots are not.
  ///
  /// All is read by default: each page of each file of the store, each record, and each piece of content, which is
  /// unpacked and compared with its name. What is not read counts as damaged where ``noteDamage(_:)`` knows it to be, and
  /// as sound otherwise.
  ///
  /// - Parameters:
  ///   - scope: What of the content is read.
  ///   - progress: Called a few times a second; throws to end it all.
  /// - Returns: What was found. Damage is reported, not thrown.
  /// - Throws: What `progress` throws; `StoreError` where the store cannot be read at all.
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
      // All files are looked at, and would stay in memory.
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
        result.add("The \(name) \(row) is damaged\(isReplaced ? ", and was stored anew" : ""): \(reason)")
        if !damage.contains(place) { result.damagedPlaces.insert(place) }
      }
      if share >= 1 { result.soundPlaces += damage.places.filter { $0.kind == kind && rows.isSound($0.row) } }
    }
    let checker = SnapshotChecker(
      content: content, contents: contents, smallFiles: smallFiles, pages: pages, knowsContents: share > 0,
      damage: damage)
    let isWhole = try checker.findMissing(snapshots, tell) { result.add($0) }
    if isWhole { return result }
    for snapshot in snapshots {
      try checker.forEachDamaged(snapshot, tell) { path, isDirectory in
        result.add(.init(snapshot: snapshot.id, path: path, isDirectory: isDirectory))
      }
    }
    return result
  }

  /// The store on this thread, content and pages on others.
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
        for problem in report.problems { result.add("\(problem)") }
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

  /// The snapshots that can be read.
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
    return snapshots.sorted { ($0.time, $0.rowID) < ($1.time, $1.rowID) }
  }
}

/// Something that becomes true once.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}

extension Archive {
  /// Has what a verification found to be damaged stored anew when it is added again.
  ///
  /// Until then nothing changes. From then on what was damaged is whole again in all snapshots; the damaged places
  /// themselves stay in the store's files, and no copy of the archive has them.
  ///
  /// - Parameter found: What ``verify(_:progress:)`` found in this archive.
  /// - Returns: How many pieces are known to be damaged now.
  /// - Throws: `StoreError`, where the archive was opened for reading only, for one.
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
