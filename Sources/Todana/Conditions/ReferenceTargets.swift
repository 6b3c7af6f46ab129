/// The objects that a test compares references with.
struct ReferenceTargets: Sendable {
  /// The identities of the objects, in ascending order.
  let ids: [AnyObjectID]
  /// Whether nil is among them.
  let includesNil: Bool
  /// The class of the objects, according to the property.
  let type: StoredObject.Type
  /// The stores of the objects, as far as objects were given and not only identities.
  let storeIDs: Set<StoreID>

  init(_ ids: some Sequence<AnyObjectID?>, of type: StoredObject.Type) {
    self.ids = Set(ids.lazy.compactMap { $0 }).sorted()
    includesNil = ids.contains(nil)
    self.type = type
    storeIDs = []
  }

  /// Objects that were not inserted are left out.
  init(objects: some Sequence<StoredObject?>, of type: StoredObject.Type) {
    var ids: Set<AnyObjectID> = []
    var storeIDs: Set<StoreID> = []
    var includesNil = false
    for object in objects {
      guard let object else {
        includesNil = true
        continue
      }
      guard let id = object.anyID, let storeID = object.storeID else { continue }
      ids.insert(id)
      storeIDs.insert(storeID)
    }
    self.ids = ids.sorted()
    self.includesNil = includesNil
    self.type = type
    self.storeIDs = storeIDs
  }

  var isEmpty: Bool { ids.isEmpty && !includesNil }

  func contains(_ id: AnyObjectID) -> Bool { ids.count == 1 ? ids[0] == id : ids.containsSorted(id) }
}

extension Array where Element: Comparable {
  /// Tests whether the array, which is sorted, contains an element.
  func containsSorted(_ element: Element) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == element
  }
}
