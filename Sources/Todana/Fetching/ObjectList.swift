/// A growing list of retained objects that becomes an array of their type without a copy of each reference.
///
/// The list fills the memory of the array, and moves to memory of its own only if the array is too small.
@safe
struct ObjectList: ~Copyable {
  private var base: UnsafeMutablePointer<StoredObject>
  private var capacity: Int
  private var ownsMemory = false
  private(set) var count = 0
  /// Whether the row ids of the objects appended since ``beginClass()`` ascend.
  private var isAscending = true
  private var lastRowID: RowID = 0
  private var classStart = 0

  /// The maximum number of objects for which memory is reserved before they are read.
  private static var mostExpected: Int { 1 << 24 }

  private init(filling memory: UnsafeMutablePointer<StoredObject>, capacity: Int) {
    unsafe base = memory
    self.capacity = capacity
  }

  deinit {
    unsafe base.deinitialize(count: count)
    if ownsMemory { unsafe base.deallocate() }
  }

  /// Returns an array of the objects that `fill` appends; a wrong `expectedCount` costs memory, or a copy.
  static func array<T: StoredObject>(
    of type: T.Type, expectedCount: Int, _ fill: (inout ObjectList) throws(StoreError) -> Void
  ) throws(StoreError) -> [T] {
    var failure: StoreError?
    var longerArray: [T]?
    // The count comes from a backend: a wrong one must not take all memory.
    let capacity = min(max(expectedCount, 16), mostExpected)
    let array = unsafe [T](unsafeUninitializedCapacity: capacity) { memory, initializedCount in
      guard let start = UnsafeMutableRawPointer(memory.baseAddress) else { return }
      // A reference is one word for every static type of class.
      let references = unsafe start.assumingMemoryBound(to: StoredObject.self)
      var list = unsafe ObjectList(filling: references, capacity: memory.count)
      do throws(StoreError) {
        try fill(&list)
      } catch {
        failure = error
        var objects = list.takeArray(of: StoredObject.self)
        ChainRelease.release(&objects)
        return
      }
      if list.ownsMemory {
        longerArray = list.takeArray(of: type)
      } else {
        initializedCount = list.takeCount()
      }
    }
    if let failure { throw failure }
    return longerArray ?? array
  }

  /// Begins the objects of the next class, which are sorted separately.
  mutating func beginClass() {
    classStart = count
    isAscending = true
    lastRowID = 0
  }

  /// Appends an object; passing its row id avoids reading it from the object.
  @inline(__always)
  mutating func append(_ object: consuming StoredObject, rowID: RowID) {
    if count == capacity { grow() }
    unsafe (base + count).initialize(to: object)
    count &+= 1
    if rowID < lastRowID { isAscending = false }
    lastRowID = rowID
  }

  /// Sorts the objects appended since ``beginClass()`` by row id, if necessary.
  ///
  /// If the ids are dense, each object is moved directly to its place, which takes a tenth of the time of sorting.
  mutating func orderClass() {
    guard !isAscending else { return }
    var objects = unsafe UnsafeMutableBufferPointer(start: base + classStart, count: count - classStart)
    var lowest = RowID.max
    var highest = RowID.min
    for index in 0..<objects.count {
      let object = unsafe objects[index]
      lowest = min(lowest, object.rowID)
      highest = max(highest, object.rowID)
    }
    let isDense = highest - lowest < RowID(objects.count) * 4
    if isDense, unsafe Self.place(objects, lowest: lowest, highest: highest) { return }
    unsafe objects.sort { $0.rowID < $1.rowID }
  }

  /// Moves the objects to their places, unless two have the same row id; returns whether it did.
  private static func place(
    _ objects: UnsafeMutableBufferPointer<StoredObject>, lowest: RowID, highest: RowID
  ) -> Bool {
    let slotCount = Int(highest - lowest) + 1
    let slots = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: slotCount)
    defer { unsafe slots.deallocate() }
    unsafe slots.initialize(repeating: nil, count: slotCount)
    // References are moved bitwise: each occurs once before and once after.
    for index in 0..<objects.count {
      let object = unsafe objects[index]
      guard unsafe slots[Int(object.rowID - lowest)] == nil else { return false }
      unsafe slots[Int(object.rowID - lowest)] = Unmanaged.passUnretained(object).toOpaque()
    }
    guard let words = UnsafeMutableRawPointer(objects.baseAddress) else { return true }
    var offset = 0
    for slot in 0..<slotCount {
      guard let word = unsafe slots[slot] else { continue }
      unsafe words.storeBytes(of: word, toByteOffset: offset, as: UnsafeMutableRawPointer.self)
      offset += MemoryLayout<StoredObject>.stride
    }
    return true
  }

  /// Returns the objects as an array; each of them must be a `T`.
  private consuming func takeArray<T: StoredObject>(of type: T.Type) -> [T] {
    let source = unsafe UnsafeRawPointer(base)
    let count = count
    // An array without capacity would write its count into the empty array that all threads share.
    guard count > 0 else { return [] }
    self.count = 0
    return unsafe [T](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      // A reference is one word for every static type of class. With `count = 0` the list gives up its own references.
      if let target = buffer.baseAddress {
        unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count * MemoryLayout<T>.stride)
      }
      initializedCount = count
    }
  }

  /// Returns the number of objects, and passes their ownership to the owner of the memory.
  private consuming func takeCount() -> Int {
    let count = count
    self.count = 0
    return count
  }

  private mutating func grow() {
    let newBase = UnsafeMutablePointer<StoredObject>.allocate(capacity: capacity * 2)
    unsafe newBase.moveInitialize(from: base, count: count)
    if ownsMemory { unsafe base.deallocate() }
    unsafe base = newBase
    ownsMemory = true
    capacity *= 2
  }
}
