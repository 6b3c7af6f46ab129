/// The result of a query for objects of a class and of its subclasses in one state of the store.
///
/// The query runs again after every commit that changes an object of these classes.
struct LiveSubclassResult {
  private let store: Store
  private let type: StoredObject.Type
  private let query: QuerySpecification
  private let onDamage: DamagePolicy
  private let reported: ReportedRecords
  private var ids: [AnyObjectID] = []
  private var commitNumber: CommitNumber = 0

  init(
    _ query: QuerySpecification, of type: StoredObject.Type, in store: Store, onDamage: DamagePolicy
  ) throws(StoreError) {
    self.store = store
    self.type = type
    self.query = query
    reported = ReportedRecords()
    self.onDamage = onDamage.reporting(each: reported)
    try carryOut()
  }

  /// The whole result, as insertions.
  var whole: LiveDifference {
    var whole = LiveDifference(classID: KeyspaceID(rawValue: 0), commitNumber: commitNumber, rowIDs: [])
    whole.ids = ids
    whole.insertions = Array(ids.indices)
    return whole
  }

  private mutating func carryOut() throws(StoreError) {
    let tables = try store.tables(for: type, includingSubclasses: true)
    (ids, commitNumber) = try store.readingOneState { () throws(StoreError) in
      let run = try SubclassRun(query, of: tables, in: store, includingPending: false, onDamage: onDamage)
      try run.reportSkippedRows()
      return (try run.ids(), try store.snapshotForReading().commitNumber)
    }
  }

  /// Updates the result to the newest state.
  ///
  /// - Returns: The differences; nil if there are none.
  mutating func apply(_ commits: [CommitChanges]) throws(StoreError) -> LiveDifference? {
    var changed: Set<AnyObjectID> = []
    for commit in commits { changed.formUnion(commit.inserted + commit.updated + commit.deleted) }
    let isUnknown = commits.contains(where: \.isUnknown)
    guard isUnknown || !changed.isEmpty else { return nil }
    for id in changed {
      if let table = store.registry[id.classID] { reported.remove([id.rowID], ofClassNamed: table.name) }
    }
    try store.bringToNewestState(commits)
    let former = ids
    try carryOut()
    var difference = whole
    difference.setChanges(from: former, to: ids, changed: isUnknown ? Set(former) : changed)
    return difference.isEmpty ? nil : difference
  }
}
