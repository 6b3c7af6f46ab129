/// The live objects of one class by row id, not retained.
///
/// Row ids are dense, so the table is an array, in pages of 1,024 rows that exist only where objects live: finding an
/// object costs a shift and two loads, and a distant row id costs one page.
///
/// Invariant: an entry is there exactly as long as its object is alive; the object's deinitializer removes it. So an
/// entry may be retained whenever no deinitializer of a stored object is running.
@safe
struct IdentityTable: ~Copyable {
  private typealias Page = UnsafeMutablePointer<UnsafeRawPointer?>

  private static let rowsPerPage = 1024
  /// Behind the rows, a page keeps the number of its entries.
  private static let countSlot = rowsPerPage
  /// Pages up to here are found by index (row ids below 2^28), those beyond by hash.
  private static let indexedPageLimit = 1 << 18

  private var pages: UnsafeMutablePointer<Page?>
  private var pageCapacity = 0
  /// Addresses of pages.
  private var distantPages: [Int: UInt] = [:]
  /// A page without entries that is kept for the next need: streaming creates and releases one object at a time.
  private var sparePage: Page?
  /// Objects that are alive.
  private(set) var count = 0

  init() {
    unsafe pages = .allocate(capacity: 1)
    unsafe sparePage = nil
  }

  deinit {
    for index in 0..<pageCapacity { unsafe pages[index]?.deallocate() }
    for address in distantPages.values { unsafe UnsafeRawPointer(bitPattern: address)?.deallocate() }
    unsafe sparePage?.deallocate()
    unsafe pages.deallocate()
  }

  /// The object of the row, if it is alive.
  @inline(__always)
  subscript(rowID: RowID) -> StoredObject? {
    guard let page = unsafe page(at: Int(truncatingIfNeeded: rowID >> 10)),
      let entry = unsafe page[Int(truncatingIfNeeded: rowID) & (Self.rowsPerPage - 1)]
    else { return nil }
    return unsafe Unmanaged<StoredObject>.fromOpaque(entry).takeUnretainedValue()
  }

  /// Whether the row's object is alive.
  @inline(__always)
  func contains(_ rowID: RowID) -> Bool {
    guard let page = unsafe page(at: Int(truncatingIfNeeded: rowID >> 10)) else { return false }
    return unsafe page[Int(truncatingIfNeeded: rowID) & (Self.rowsPerPage - 1)] != nil
  }

  /// Enters an object; there must be none at the row.
  @inline(__always)
  mutating func insert(_ object: StoredObject, at rowID: RowID) {
    let page = unsafe pageForInsert(at: Int(truncatingIfNeeded: rowID >> 10))
    let slot = Int(truncatingIfNeeded: rowID) & (Self.rowsPerPage - 1)
    unsafe page[slot] = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    unsafe page[Self.countSlot] = UnsafeRawPointer(bitPattern: UInt(bitPattern: page[Self.countSlot]) + 1)
    count += 1
  }

  /// Takes the object's entry out.
  @inline(__always)
  mutating func remove(at rowID: RowID) {
    let pageIndex = Int(truncatingIfNeeded: rowID >> 10)
    let slot = Int(truncatingIfNeeded: rowID) & (Self.rowsPerPage - 1)
    guard let page = unsafe page(at: pageIndex), unsafe page[slot] != nil else { return }
    unsafe page[slot] = nil
    count -= 1
    let remaining = unsafe UInt(bitPattern: page[Self.countSlot]) - 1
    unsafe page[Self.countSlot] = UnsafeRawPointer(bitPattern: remaining)
    if remaining == 0 { retire(pageIndex) }
  }

  /// All that are alive, retained, in the order of row ids but for those beyond 2^28.
  func objects() -> [StoredObject] {
    var objects: [StoredObject] = []
    objects.reserveCapacity(count)
    for index in 0..<pageCapacity {
      if let page = unsafe pages[index] { unsafe Self.append(page, to: &objects) }
    }
    for index in distantPages.keys {
      if let page = unsafe page(at: index) { unsafe Self.append(page, to: &objects) }
    }
    return objects
  }

  private static func append(_ page: Page, to objects: inout [StoredObject]) {
    for slot in 0..<rowsPerPage {
      guard let entry = unsafe page[slot] else { continue }
      unsafe objects.append(Unmanaged<StoredObject>.fromOpaque(entry).takeUnretainedValue())
    }
  }

  @inline(__always)
  private func page(at index: Int) -> Page? {
    // A row id's upper bits are never negative.
    index < pageCapacity ? unsafe pages[index] : unsafe Self.distantPage(at: index, in: distantPages)
  }

  // Not a method of a table, for which a caller that has none of its fields in memory would have to write them there.
  @inline(never)
  private static func distantPage(at index: Int, in distantPages: [Int: UInt]) -> Page? {
    guard index >= indexedPageLimit, let address = distantPages[index] else { return nil }
    return unsafe UnsafeMutableRawPointer(bitPattern: address)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
  }

  @inline(__always)
  private mutating func pageForInsert(at index: Int) -> Page {
    if let page = unsafe page(at: index) { return unsafe page }
    return unsafe addPage(at: index)
  }

  @inline(never)
  private mutating func addPage(at index: Int) -> Page {
    let page = unsafe sparePage ?? Self.makePage()
    unsafe sparePage = nil
    if index < Self.indexedPageLimit {
      growPages(toHold: index)
      unsafe pages[index] = page
    } else {
      distantPages[index] = UInt(bitPattern: page)
    }
    return unsafe page
  }

  private static func makePage() -> Page {
    let page = Page.allocate(capacity: rowsPerPage + 1)
    unsafe page.initialize(repeating: nil, count: rowsPerPage + 1)
    return unsafe page
  }

  private mutating func growPages(toHold index: Int) {
    guard index >= pageCapacity else { return }
    let newCapacity = max(16, pageCapacity * 2, index + 1)
    let newPages = UnsafeMutablePointer<Page?>.allocate(capacity: newCapacity)
    unsafe newPages.initialize(repeating: nil, count: newCapacity)
    for index in 0..<pageCapacity { unsafe newPages[index] = unsafe pages[index] }
    unsafe pages.deallocate()
    unsafe pages = newPages
    pageCapacity = newCapacity
  }

  /// Gives up a page that has become empty.
  @inline(never)
  private mutating func retire(_ index: Int) {
    guard let page = unsafe page(at: index) else { return }
    if index < pageCapacity {
      unsafe pages[index] = nil
    } else {
      distantPages[index] = nil
    }
    if unsafe sparePage == nil {
      unsafe sparePage = page
    } else {
      unsafe page.deallocate()
    }
  }
}
