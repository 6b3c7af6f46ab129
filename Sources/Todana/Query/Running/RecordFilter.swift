/// A filter of records by whether they can be read and meet the condition of a run.
struct RecordFilter: ~Copyable {
  private let store: Store
  private let table: ClassTable
  private let condition: ConditionNode
  private let onDamage: DamagePolicy
  private let inverses: InverseSources?
  /// The object that records are read into; nil if none has to be read.
  private var scratch: ScratchObject?
  let passesAll: Bool

  init(_ run: QueryRun, needsRecords: Bool) {
    store = run.store
    table = run.table
    condition = run.plan.residual
    onDamage = run.onDamage
    inverses = run.inverses
    var isAlways = false
    if case .always = condition { isAlways = true }
    passesAll = isAlways && !(needsRecords && run.countsReadableOnly)
    scratch = passesAll ? nil : ScratchObject(store, table, references: run.references, isForQuery: true)
  }

  mutating func passes(_ slice: RecordChunk.Slice, in chunk: RecordChunk) throws(StoreError) -> Bool {
    do throws(StoreError) {
      guard let object = try scratch?.read(slice, in: chunk) else {
        // Row 0 means that damage affects an unknown row.
        if slice.rowID != 0 { return true }
        throw store.damaged(slice.rowID, table)
      }
      guard let inverses else { return try condition.holds(for: object) }
      return try inverses.whileTesting { () throws(StoreError) in try condition.holds(for: object) }
    } catch {
      try onDamage.handle(error.met(reading: slice.rowID, of: table))
      return false
    }
  }
}
