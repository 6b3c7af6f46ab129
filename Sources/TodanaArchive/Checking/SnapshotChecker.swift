internal import Todana

/// Walks all snapshots, and checks that the rows that entries refer to exist and are sound.
///
/// If one is not, it reports the paths of the damaged files of each snapshot.
struct SnapshotChecker {
  let content: ContentStore
  let contents: CheckedRows
  let smallFiles: CheckedRows
  let pages: CheckedRows
  /// Whether content rows were checked.
  let knowsContents: Bool
  let damage: KnownDamage

  /// Tests whether everything that the pages refer to is sound; reads each page once, and reports each problem.
  ///
  /// - Parameters:
  ///   - snapshots: The snapshots.
  ///   - check: Called for each page; throws to cancel.
  ///   - report: Receives a problem, and whether it is content without a record.
  /// - Returns: Whether everything is sound.
  /// - Throws: Errors of `check`, and of reading that are no damage.
  func findMissing(
    _ snapshots: [Snapshot], _ check: () throws -> Void, _ report: (_ problem: String, _ isMissing: Bool) -> Void
  ) throws -> Bool {
    var seen = RowSet()
    var isWhole = true
    var pending: [RowID] = []
    func want(_ rows: [RowID], _ what: @autoclosure () -> String) {
      for row in rows where seen.insert(row) {
        if isSound(.page, row, pages) {
          pending.append(row)
        } else {
          isWhole = false
          report("\(what()) needs directory page \(row), which is missing or damaged.", false)
        }
      }
    }
    for snapshot in snapshots {
      want(snapshot.pages, "Snapshot \(snapshot.id.short)")
      while let row = pending.popLast() {
        try check()
        do {
          var reader = DirectoryReader([row], of: content)
          while let entry = try reader.next() {
            if case .pages(let rows) = entry.content { want(rows, "“\(printable(entry.file.name))”") }
            guard !isSound(entry) else { continue }
            isWhole = false
            report("“\(printable(entry.file.name))” needs content that is missing or damaged.", isMissing(entry))
          }
        } catch let error as ArchiveError {
          isWhole = false
          report("Directory page \(row) cannot be read: \(error)", false)
        }
      }
    }
    return isWhole
  }

  /// Calls back with the path of each damaged file or directory of a snapshot.
  func forEachDamaged(_ snapshot: Snapshot, _ check: () throws -> Void, _ body: ([UInt8], Bool) -> Void) throws {
    var walk = SnapshotWalk(snapshot.pages, of: content)
    while let step = try walk.next() {
      try check()
      switch step {
      case .end: break
      case .failure: body(walk.directory, true)
      case .entry(let entry): if !isSound(entry) { body(walk.path(of: entry), false) }
      }
    }
  }

  private func isSound(_ entry: ArchiveEntry) -> Bool {
    switch entry.content {
    case .none, .pages: true
    case .small(let row): isSound(.smallFile, row, smallFiles)
    case .chunks(let rows):
      rows.allSatisfy { row in
        knowsContents ? isSound(.content, row, contents) : !damage.isLost(.init(kind: .content, row: row))
      }
    }
  }

  /// Tests whether the data of an entry that is not sound have no records, rather than damaged ones.
  private func isMissing(_ entry: ArchiveEntry) -> Bool {
    switch entry.content {
    case .none, .pages: false
    case .small(let row): !smallFiles.isKnown(row) && !damage.contains(.init(kind: .smallFile, row: row))
    case .chunks(let rows):
      knowsContents && rows.contains { !contents.isKnown($0) && !damage.contains(.init(kind: .content, row: $0)) }
    }
  }

  /// Tests whether a row or its replacement is sound.
  private func isSound(_ kind: KnownDamage.Kind, _ row: RowID, _ checked: CheckedRows) -> Bool {
    checked.isSound(row) || damage.current(.init(kind: kind, row: row)).map { checked.isSound($0) } ?? false
  }
}
