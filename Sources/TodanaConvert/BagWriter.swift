import Foundation
import LegacyStores
import Todana
import TodanaDocuments

/// The bags of a NanoStore database, which are written after all objects.
final class BagWriter {
  private let conversion: Conversion
  private var bags: [NanoStoreBag] = []
  /// The places of the objects whose keys are no UUIDs.
  private var otherKeys: [String: (collection: String, key: UUID)] = [:]

  init(_ conversion: Conversion) { self.conversion = conversion }

  func add(_ bag: NanoStoreBag) { bags.append(bag) }

  /// Notes the document of an object whose key is no UUID.
  func note(_ key: String, _ documentKey: UUID, in collection: String) { otherKeys[key] = (collection, documentKey) }

  /// Writes all bags: first without members, because a bag may contain others.
  func finish() throws {
    try conversion.save()
    var written: [(source: NanoStoreBag, bag: Bag)] = []
    for source in bags {
      guard let bag = try insert(source) else { continue }
      written.append((source, bag))
    }
    for (source, bag) in written { try addMembers(of: source, to: bag) }
    try conversion.save()
  }

  private func insert(_ source: NanoStoreBag) throws -> Bag? {
    let place = "bag \(source.key)"
    guard let key = UUID(uuidString: source.key) else {
      conversion.note("\(place): the key is no UUID, and the bag gets another one")
      return try inserted(Bag(name: source.name))
    }
    if try conversion.store.bag(key: key) != nil {
      conversion.fail(ObjectFailure(place, LegacyError(.invalidRecord, "the store has a bag with this key")))
      return nil
    }
    return try inserted(Bag(name: source.name, key: key))
  }

  private func inserted(_ bag: Bag) throws -> Bag {
    try conversion.store.insert(bag)
    try conversion.didInsert()
    return bag
  }

  private func addMembers(of source: NanoStoreBag, to bag: Bag) throws {
    var missing = 0
    for key in source.memberKeys {
      if let member = try member(key) { try bag.add(member) } else { missing += 1 }
    }
    if missing > 0 {
      // NanoStore leaves the keys of removed objects in bags, and skips them when it reads a bag.
      conversion.note("bag \(source.key): \(counted(missing, "member")) not in the store")
    }
    try conversion.didChange()
  }

  private func member(_ text: String) throws -> StoredObject? {
    if let (collection, key) = otherKeys[text] { return try conversion.collection(collection).document(for: key) }
    guard let key = UUID(uuidString: text) else { return nil }
    for name in conversion.collectionNames {
      if let document = try conversion.collection(name).document(for: key) { return document }
    }
    return try conversion.store.bag(key: key)
  }
}
