/// The live objects of one class by row id, not retained.
///
/// Row ids are dense, so the table is an array, in pages of 1,024 rows that exist only where objects live: finding an
/// object costs a shift and two loads, and a distant row id costs one page.
///
/// Invariant: an entry is there exactly as long as its object is alive; the object's deinitializer removes it. So an
/// entry may be retained whenever no deinitializer of a stored object is running.
@safe
struct IdentityTable: ~Copyable {
  /// Pages up to here are found by index (row ids below 2^28), those beyond by hash.
  private static let indexedPageLimit = 1 << 18

  private var pages: UnsafeMutablePointer<IdentityPage?>
  private var pageCapacity = 0
  private var distantPages: [Int: IdentityPage] = [:]
  /// Pages without entries that are kept for the next need: streaming creates and releases one object at a time, queries
  /// a hundred from as many pages.
  private var sparePages: [IdentityPage] = []
  /// A megabyte of them.
  private static let sparePageLimit = 128
  /// Whether objects are being made for most rows of each page that is added, right after it.
  var isBeingFilled = false

  init() {
    unsafe pages = .allocate(capacity: 1)
  }

  deinit {
    for index in 0..<pageCapacity { unsafe pages[index]?.deallocate() }
    for page in distantPages.values { page.deallocate() }
    for page in sparePages { page.deallocate() }
    unsafe pages.deallocate()
  }

  /// Objects that are alive.
  ///
  /// - Complexity: O(*n*) in the pages.
  var count: Int {
    var count = 0
    forEachPage { count += $0.count }
    return count
  }

  /// The object of the row, if it is alive.
  @inline(__always)
  subscript(rowID: RowID) -> StoredObject? { page(at: Self.pageIndex(rowID))?[Self.slot(rowID)] }

  /// Whether the row's object is alive.
  @inline(__always)
  func contains(_ rowID: RowID) -> Bool { page(at: Self.pageIndex(rowID))?.isTaken(Self.slot(rowID)) ?? false }

  /// Enters an object, which learns where it stands; there must be none at the row.
  @inline(__always)
  mutating func insert(_ object: StoredObject, at rowID: RowID, of table: ClassTable) {
    let page = page(at: Self.pageIndex(rowID)) ?? addPage(at: Self.pageIndex(rowID), of: table)
    page.insert(object, at: Self.slot(rowID))
    object.place.move(to: page, slot: Self.slot(rowID))
  }

  /// All that are alive, retained, in the order of row ids but for those beyond 2^28.
  func objects() -> [StoredObject] {
    var objects: [StoredObject] = []
    objects.reserveCapacity(count)
    forEachPage { page in
      for slot in 0..<IdentityPage.rowCount {
        if let object = page[slot] { objects.append(object) }
      }
    }
    return objects
  }

  private func forEachPage(_ body: (IdentityPage) -> Void) {
    for index in 0..<pageCapacity {
      if let page = unsafe pages[index] { body(page) }
    }
    for page in distantPages.values { body(page) }
  }

  @inline(__always)
  private static func pageIndex(_ rowID: RowID) -> Int { Int(truncatingIfNeeded: rowID / RowID(IdentityPage.rowCount)) }

  @inline(__always)
  private static func slot(_ rowID: RowID) -> Int { Int(truncatingIfNeeded: rowID) & (IdentityPage.rowCount - 1) }

  @inline(__always)
  private func page(at index: Int) -> IdentityPage? {
    // A row id's upper bits are never negative.
    index < pageCapacity ? unsafe pages[index] : Self.distantPage(at: index, in: distantPages)
  }

  // Not a method of a table, for which a caller that has none of its fields in memory would have to write them there.
  @inline(never)
  private static func distantPage(at index: Int, in distantPages: [Int: IdentityPage]) -> IdentityPage? {
    index < indexedPageLimit ? nil : distantPages[index]
  }

  @inline(never)
  private mutating func addPage(at index: Int, of table: ClassTable) -> IdentityPage {
    let firstRowID = RowID(index) * RowID(IdentityPage.rowCount)
    let page = sparePages.popLast() ?? IdentityPage(of: table, firstRowID: firstRowID)
    page.firstRowID = firstRowID
    if isBeingFilled || isFilledInOrder(upTo: index) {
      MemoryAhead.populate(behind: page.end, byteCount: MemoryAhead.pageOfObjects)
    }
    if index < Self.indexedPageLimit {
      growPages(toHold: index)
      unsafe pages[index] = page
    } else {
      distantPages[index] = page
    }
    return page
  }

  /// Whether the pages before this one are full, as where one object after the other is inserted.
  private func isFilledInOrder(upTo index: Int) -> Bool {
    index > 16 && (1...16).allSatisfy { page(at: index - $0)?.count == IdentityPage.rowCount }
  }

  private mutating func growPages(toHold index: Int) {
    guard index >= pageCapacity else { return }
    let newCapacity = max(16, pageCapacity * 2, index + 1)
    let newPages = UnsafeMutablePointer<IdentityPage?>.allocate(capacity: newCapacity)
    unsafe newPages.initialize(repeating: nil, count: newCapacity)
    for index in 0..<pageCapacity { unsafe newPages[index] = unsafe pages[index] }
    unsafe pages.deallocate()
    unsafe pages = newPages
    pageCapacity = newCapacity
  }

  /// Gives up a page that has become empty.
  @inline(never)
  mutating func retire(_ page: IdentityPage) {
    let index = Self.pageIndex(page.firstRowID)
    if index < pageCapacity {
      unsafe pages[index] = nil
    } else {
      distantPages[index] = nil
    }
    if sparePages.count < Self.sparePageLimit {
      sparePages.append(page)
    } else {
      page.deallocate()
    }
  }
}
