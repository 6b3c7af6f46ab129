/// The live objects of 1,024 consecutive rows of a class, not retained.
///
/// An object's ``ObjectPlace`` leads to its page and slot, and these lead to its table and row id.
///
/// This is safe although neither side retains the other. An object's deinitializer removes it from its page, and a page
/// is freed only when it is empty. When the table is deinitialized, it removes all objects
/// (``ClassTable/detachAll()``).
@safe
struct IdentityPage {
  static let rowCount = 1024
  /// The alignment of a page, which leaves the low bits of its address free for an object's state.
  static let alignment = 256
  /// The number of bits in a page's address, which leaves the high bits free for an object's slot.
  ///
  /// The system gives a program no address above 48 bits unless the program requests it. ``init(of:firstRowID:)``
  /// checks this.
  static let addressBitCount: UInt = 48

  @safe private struct Header {
    var table: Unmanaged<ClassTable>
    var firstRowID: RowID
    /// The number of occupied slots.
    var count: Int
  }

  private typealias Entry = UnsafeRawPointer?

  private static let entriesOffset = 32
  private static let byteCount = unsafe entriesOffset + rowCount * MemoryLayout<Entry>.stride

  private let header: UnsafeMutablePointer<Header>

  /// Creates an empty page.
  init(of table: ClassTable, firstRowID: RowID) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: Self.alignment)
    precondition(UInt(bitPattern: memory) >> Self.addressBitCount == 0, "an address of more than 48 bits")
    unsafe header = memory.bindMemory(to: Header.self, capacity: 1)
    let table = unsafe Unmanaged.passUnretained(table)
    unsafe header.initialize(to: Header(table: table, firstRowID: firstRowID, count: 0))
    let entries = unsafe memory + Self.entriesOffset
    unsafe entries.initializeMemory(as: Entry.self, repeating: nil, count: Self.rowCount)
  }

  /// Returns the page with this ``bitPattern``; nil for 0.
  @inline(__always)
  init?(bitPattern: UInt) {
    guard let header = unsafe UnsafeMutablePointer<Header>(bitPattern: bitPattern) else { return nil }
    unsafe self.header = header
  }

  /// Frees the page's memory; the page must be empty.
  func deallocate() { unsafe header.deallocate() }

  /// The first address after the page.
  var end: UInt { bitPattern + UInt(Self.byteCount) }

  var bitPattern: UInt {
    @inline(__always) get { unsafe UInt(bitPattern: header) }
  }

  var table: ClassTable {
    @inline(__always) get { unsafe header.pointee.table.takeUnretainedValue() }
  }

  /// Calls the closure with the table, without retaining it.
  @inline(__always)
  func withTable<Result>(_ body: (ClassTable) -> Result) -> Result {
    unsafe header.pointee.table._withUnsafeGuaranteedRef(body)
  }

  /// The row id of the first slot, a multiple of ``rowCount``; it may be changed only while the page is empty.
  var firstRowID: RowID {
    @inline(__always) get { unsafe header.pointee.firstRowID }
    nonmutating set { unsafe header.pointee.firstRowID = newValue }
  }

  /// The number of objects in the page.
  var count: Int {
    @inline(__always) get { unsafe header.pointee.count }
  }

  /// The object in the slot; nil if the slot is empty.
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

  /// Empties an occupied slot.
  ///
  /// - Returns: Whether the page is empty now.
  @inline(__always)
  func remove(at slot: Int) -> Bool {
    unsafe entry(slot).pointee = nil
    unsafe header.pointee.count &-= 1
    return unsafe header.pointee.count == 0
  }

  // In bounds: a slot is a row id masked with `rowCount - 1`.
  @inline(__always)
  private func entry(_ slot: Int) -> UnsafeMutablePointer<Entry> {
    let address = unsafe UnsafeMutableRawPointer(header) + Self.entriesOffset + slot &* MemoryLayout<Entry>.stride
    return unsafe address.assumingMemoryBound(to: Entry.self)
  }
}
