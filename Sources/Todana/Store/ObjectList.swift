/// A growing list of retained objects that becomes an array of their type without a copy of each reference.
@safe
struct ObjectList: ~Copyable {
  private var base: UnsafeMutablePointer<StoredObject>
  private var capacity: Int
  private(set) var count = 0
  /// Whether the row ids of what was appended since ``beginClass()`` grow.
  private var isAscending = true
  private var lastRowID: RowID = 0
  private var classStart = 0

  init(capacity: Int = 0) {
    self.capacity = max(capacity, 16)
    unsafe base = .allocate(capacity: self.capacity)
  }

  deinit {
    unsafe base.deinitialize(count: count)
    unsafe base.deallocate()
  }

  subscript(index: Int) -> StoredObject {
    precondition(index >= 0 && index < count, "Index out of range")
    return unsafe base[index]
  }

  /// Starts the objects of another class, which are ordered among themselves.
  mutating func beginClass() {
    classStart = count
    isAscending = true
    lastRowID = 0
  }

  mutating func append(_ object: consuming StoredObject) {
    if count == capacity { grow() }
    let rowID = object.rowID
    if rowID < lastRowID { isAscending = false }
    lastRowID = rowID
    unsafe (base + count).initialize(to: object)
    count += 1
  }

  /// Puts the objects appended since ``beginClass()`` in the order of their row ids, if they are not.
  ///
  /// Where the ids are dense each object goes straight to its place, which costs a tenth of sorting.
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
    guard highest - lowest < RowID(objects.count) * 4 else {
      unsafe objects.sort { $0.rowID < $1.rowID }
      return
    }
    unsafe Self.place(objects, lowest: lowest, highest: highest)
  }

  private static func place(_ objects: UnsafeMutableBufferPointer<StoredObject>, lowest: RowID, highest: RowID) {
    let slotCount = Int(highest - lowest) + 1
    let slots = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: slotCount)
    defer { unsafe slots.deallocate() }
    unsafe slots.initialize(repeating: nil, count: slotCount)
    // References move as bits: each stands once before and once after, as row ids are distinct.
    for index in 0..<objects.count {
      let object = unsafe objects[index]
      unsafe slots[Int(object.rowID - lowest)] = Unmanaged.passUnretained(object).toOpaque()
    }
    guard let words = UnsafeMutableRawPointer(objects.baseAddress) else { return }
    var offset = 0
    for slot in 0..<slotCount {
      guard let word = unsafe slots[slot] else { continue }
      unsafe words.storeBytes(of: word, toByteOffset: offset, as: UnsafeMutableRawPointer.self)
      offset += MemoryLayout<StoredObject>.stride
    }
  }

  /// The objects as an array; every one must be a `T`.
  consuming func takeArray<T: StoredObject>(of type: T.Type) -> [T] {
    let source = unsafe UnsafeRawPointer(base)
    let count = count
    self.count = 0
    return unsafe [T](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      // A reference is one word whatever the static type of its class; the list forgets its own at `count = 0`.
      if let target = buffer.baseAddress {
        unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count * MemoryLayout<T>.stride)
      }
      initializedCount = count
    }
  }

  private mutating func grow() {
    let newBase = UnsafeMutablePointer<StoredObject>.allocate(capacity: capacity * 2)
    unsafe newBase.moveInitialize(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = newBase
    capacity *= 2
  }
}
