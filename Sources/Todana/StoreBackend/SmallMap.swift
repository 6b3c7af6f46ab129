/// A dictionary that stores its first 16 values in a plain list.
///
/// The reason is not the speed of lookups. For the first dictionary with keys of a type, Swift's runtime searches all
/// conformances of the process. That takes a good part of the time to open a store.
struct SmallMap<Key: Hashable, Value> {
  private static var fewCount: Int { 16 }

  private var few: [(key: Key, value: Value)] = []
  /// All values, once there are more than ``fewCount``; then ``few`` is empty.
  private var many: [Key: Value] = [:]

  subscript(key: Key) -> Value? {
    get {
      if !many.isEmpty { return many[key] }
      return few.first { $0.key == key }?.value
    }
    set {
      if !many.isEmpty {
        many[key] = newValue
      } else if let index = few.firstIndex(where: { $0.key == key }) {
        if let newValue { few[index].value = newValue } else { few.remove(at: index) }
      } else if let newValue {
        few.append((key, newValue))
        if few.count > Self.fewCount { spread() }
      }
    }
  }

  /// Removes a value; returns whether there was one.
  mutating func remove(_ key: Key) -> Bool {
    guard self[key] != nil else { return false }
    self[key] = nil
    return true
  }

  var keys: [Key] { many.isEmpty ? few.map(\.key) : Array(many.keys) }

  private mutating func spread() {
    many.reserveCapacity(few.count * 2)
    for (key, value) in few { many[key] = value }
    few = []
  }
}
