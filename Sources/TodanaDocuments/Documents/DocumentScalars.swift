internal import Foundation
internal import Todana

/// A value that is neither an array nor a dictionary, with the last key on the way to it, as the index of everything has
/// it.
struct NamedScalar: IndexedValue, Sendable {
  /// The last key; nil for the entry that a document with too many values has in their place.
  let name: String?
  let value: DocumentValue

  static var indexedTypeName: String { "NamedScalar 1" }

  /// The first byte of keys.
  enum Place {
    static let scalar: UInt8 = 1
    /// All documents with more values than the index takes; they are always tested.
    static let overfull: UInt8 = 2
  }

  func writeKey(to key: inout KeyWriter) {
    guard let name else { return key.append(Place.overfull) }
    key.append(Place.scalar)
    name.writeKey(to: &key)
    value.writeKey(to: &key)
  }
}

/// A value that is neither an array nor a dictionary, as the index of everything by values has it.
struct BareScalar: IndexedValue, Sendable {
  /// The value; nil for the entry that a document with too many values has in their place.
  let value: DocumentValue?

  static var indexedTypeName: String { "BareScalar 1" }

  func writeKey(to key: inout KeyWriter) {
    guard let value else { return key.append(NamedScalar.Place.overfull) }
    key.append(NamedScalar.Place.scalar)
    value.writeKey(to: &key)
  }
}

extension Document {
  /// The number of values of a document up to which the index of everything has an entry for each.
  static let scalarLimit = 1000

  /// All values with their names, for the index of everything.
  static let namedScalars = DerivedProperty<Document, [NamedScalar]>("all values by name") { document in
    var found: [NamedScalar] = []
    document.value.forEachScalar(name: "") { name, value in found.append(NamedScalar(name: name, value: value)) }
    return found.count <= scalarLimit ? found : [NamedScalar(name: nil, value: .null)]
  }

  /// All values, for the index of everything.
  static let bareScalars = DerivedProperty<Document, [BareScalar]>("all values") { document in
    var found: [BareScalar] = []
    document.value.forEachScalar(name: "") { _, value in found.append(BareScalar(value: value)) }
    return found.count <= scalarLimit ? found : [BareScalar(value: Optional.none)]
  }
}

extension DocumentValue {
  /// Calls back with each value at any depth that is neither an array nor a dictionary, and the last key on the way.
  fileprivate func forEachScalar(name: String, _ body: (String, DocumentValue) -> Void) {
    switch storage {
    case .array(let values): for value in values { value.forEachScalar(name: name, body) }
    case .dictionary(let entries): for (key, value) in entries { value.forEachScalar(name: key, body) }
    default: body(name, self)
    }
  }
}
