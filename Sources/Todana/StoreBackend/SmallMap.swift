/// A dictionary that is a plain list as long as it holds few values.
///
/// Not for the speed of a lookup: the first dictionary with keys of a type makes Swift's runtime look through all
/// conformances of the process, which takes a good part of what opening a store takes.
struct SmallMap<Key: Hashable, Value> {
  private static var fewCount: Int { 16 }

  private var few: [(key: Key, value: Value)] = []
  /// Holds everything as soon as it is not empty.
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

  /// Takes a value out; whether there was one.
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
