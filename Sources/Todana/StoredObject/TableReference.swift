/// How an object refers to the table of its class: without counting the reference.
///
/// Safe though not retained: every object with a table stands in the table's identity table, and a table that goes
/// away clears this reference in each of them (``ClassTable/detachAll()``).
@safe
struct TableReference {
  private let reference: Unmanaged<ClassTable>?

  @inline(__always)
  init(_ table: ClassTable?) { unsafe reference = table.map { unsafe Unmanaged.passUnretained($0) } }

  @inline(__always)
  var table: ClassTable? { unsafe reference?.takeUnretainedValue() }

  /// Takes an object that goes away out of its table; retains the table not even meanwhile, as this happens to all.
  @inline(__always)
  func forget(_ object: StoredObject) { unsafe reference?._withUnsafeGuaranteedRef { $0.forget(object) } }
}

extension StoredObject {
  /// The table of the object's class in its store; nil outside a store.
  final var table: ClassTable? {
    @inline(__always) get { tableReference.table }
    @inline(__always) set { tableReference = TableReference(newValue) }
  }
}
