/// The live objects of one class by row id, not retained.
///
/// Row ids are dense, so the table is an array of pages. A page has 1,024 rows and exists only if one of them has a
/// live object. Finding an object costs a shift and two loads, and a distant row id costs one page.
///
/// Invariant: a table has an entry exactly as long as the object is alive, because the object's deinitializer removes
/// the entry. An entry may therefore be retained whenever no deinitializer of a stored object is running.
@safe
struct IdentityTable: ~Copyable {
  /// The index of the first page that is found by hash; earlier pages (row ids below 2^28) are found by index.
  private static let indexedPageLimit = 1 << 18

  private var pages: UnsafeMutablePointer<IdentityPage?>
  private var pageCapacity = 0
  private var distantPages: [Int: IdentityPage] = [:]
  /// Empty pages that are kept for reuse.
  ///
  /// Streaming creates and releases one object at a time. A query does so with about a hundred objects, which may be on
  /// as many pages.
  private var sparePages: [IdentityPage] = []
  /// The maximum number of spare pages, which take about a megabyte.
  private static let sparePageLimit = 128
  /// Whether a new page is about to be filled: objects for most of its rows are created right after it is added.
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

  /// The number of live objects.
  ///
  /// - Complexity: O(*n*) in the pages.
  var count: Int {
    var count = 0
    forEachPage { count += $0.count }
    return count
  }

  /// The object of the row; nil if it is not alive.
  @inline(__always)
  subscript(rowID: RowID) -> StoredObject? { page(at: Self.pageIndex(rowID))?[Self.slot(rowID)] }

  /// Returns whether the row's object is alive.
  @inline(__always)
  func contains(_ rowID: RowID) -> Bool { page(at: Self.pageIndex(rowID))?.isTaken(Self.slot(rowID)) ?? false }

  /// Adds an object, and sets its place; the row must not have an object yet.
  @inline(__always)
  mutating func insert(_ object: StoredObject, at rowID: RowID, of table: ClassTable) {
    let page = page(at: Self.pageIndex(rowID)) ?? addPage(at: Self.pageIndex(rowID), of: table)
    page.insert(object, at: Self.slot(rowID))
    object.place.move(to: page, slot: Self.slot(rowID))
  }

  /// Returns all live objects, retained, in the order of row ids; objects of rows from 2^28 on come last, unordered.
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
    // The index is never negative, as it is a row id without its low bits.
    index < pageCapacity ? unsafe pages[index] : Self.distantPage(at: index, in: distantPages)
  }

  // Static, because for a method a caller would have to write all fields of the table to memory first.
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

  /// Returns whether the 16 pages before this one are full, as they are when objects are inserted one after another.
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

  /// Removes a page that has become empty, and keeps it for reuse or frees it.
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
