/// 1,024 rows of a class: for each the live object, not retained.
///
/// An object's ``ObjectPlace`` leads to its page and its slot there, and through these to its table and its row id.
///
/// Safe though neither side retains the other: an object's deinitializer takes it out of its page, a page is given up
/// only when nothing stands in it, and the table's going takes every object out (``ClassTable/detachAll()``).
@safe
struct IdentityPage {
  static let rowCount = 1024
  /// Leaves the low bits of an address to the state of an object.
  static let alignment = 256
  /// Leaves the high bits of an address to the slot of an object.
  ///
  /// Systems give programs no addresses above 48 bits unless asked to; ``init(of:firstRowID:)`` checks.
  static let addressBitCount: UInt = 48

  @safe private struct Header {
    var table: Unmanaged<ClassTable>
    var firstRowID: RowID
    /// Slots that are taken.
    var count: Int
  }

  private typealias Entry = UnsafeRawPointer?

  private static let entriesOffset = 32
  private static let byteCount = unsafe entriesOffset + rowCount * MemoryLayout<Entry>.stride

  private let header: UnsafeMutablePointer<Header>

  /// Makes an empty page.
  init(of table: ClassTable, firstRowID: RowID) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: Self.alignment)
    precondition(UInt(bitPattern: memory) >> Self.addressBitCount == 0, "an address of more than 48 bits")
    unsafe header = memory.bindMemory(to: Header.self, capacity: 1)
    let table = unsafe Unmanaged.passUnretained(table)
    unsafe header.initialize(to: Header(table: table, firstRowID: firstRowID, count: 0))
    let entries = unsafe memory + Self.entriesOffset
    unsafe entries.initializeMemory(as: Entry.self, repeating: nil, count: Self.rowCount)
  }

  /// The page of an earlier ``bitPattern``; nil for 0.
  @inline(__always)
  init?(bitPattern: UInt) {
    guard let header = unsafe UnsafeMutablePointer<Header>(bitPattern: bitPattern) else { return nil }
    unsafe self.header = header
  }

  /// Gives the page's memory back; nothing may stand in it.
  func deallocate() { unsafe header.deallocate() }

  /// The first address behind the page.
  var end: UInt { bitPattern + UInt(Self.byteCount) }

  var bitPattern: UInt {
    @inline(__always) get { unsafe UInt(bitPattern: header) }
  }

  var table: ClassTable {
    @inline(__always) get { unsafe header.pointee.table.takeUnretainedValue() }
  }

  /// Calls the closure with the table, which is not retained meanwhile.
  @inline(__always)
  func withTable(_ body: (ClassTable) -> Void) { unsafe header.pointee.table._withUnsafeGuaranteedRef(body) }

  /// A multiple of the number of rows; an empty page may be moved.
  var firstRowID: RowID {
    @inline(__always) get { unsafe header.pointee.firstRowID }
    nonmutating set { unsafe header.pointee.firstRowID = newValue }
  }

  /// How many objects stand in the page.
  var count: Int {
    @inline(__always) get { unsafe header.pointee.count }
  }

  /// The object in the slot, if there is one.
  @inline(__always)
  subscript(slot: Int) -> StoredObject? {
    guard let entry = unsafe entry(slot).pointee else { return nil }
    return unsafe Unmanaged<StoredObject>.fromOpaque(entry).takeUnretainedValue()
  }

  @inline(__always)
  func isTaken(_ slot: Int) -> Bool { unsafe entry(slot).pointee != nil }

  /// Puts an object into an empty slot.
  @inline(__always)
  func insert(_ object: StoredObject, at slot: Int) {
    unsafe entry(slot).pointee = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    unsafe header.pointee.count &+= 1
  }

  /// Empties a slot that is taken.
  ///
  /// - Returns: Whether the page is empty now.
  @inline(__always)
  func remove(at slot: Int) -> Bool {
    unsafe entry(slot).pointee = nil
    unsafe header.pointee.count &-= 1
    return unsafe header.pointee.count == 0
  }

  // In bounds: slots are made by masking row ids with `rowCount - 1`.
  @inline(__always)
  private func entry(_ slot: Int) -> UnsafeMutablePointer<Entry> {
    let address = unsafe UnsafeMutableRawPointer(header) + Self.entriesOffset + slot &* MemoryLayout<Entry>.stride
    return unsafe address.assumingMemoryBound(to: Entry.self)
  }
}
