public import Foundation
public import Todana

// The bags of a store. All of these count pending changes.
extension Store {
  /// Returns all bags, in the order in which they were inserted.
  ///
  /// - Throws: `StoreError`.
  public func bags() throws -> [Bag] { try inOrder(fetch(Bag.self)) }

  /// Returns the bags with a name, in the order in which they were inserted.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: O(*n*) in the bags found, which an index finds.
  public func bags(named name: String) throws -> [Bag] { try inOrder(fetch(Bag.where { $0.storedLabel == name })) }

  /// Returns the bag with a name that was inserted last; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func bag(named name: String) throws -> Bag? { try bags(named: name).last }

  /// Returns the bag with a key; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func bag(key: UUID) throws -> Bag? { try first(Bag.where { $0.storedKey == key }) }

  /// Returns the bags with keys, in the order of the keys; keys without a bag are skipped.
  ///
  /// - Throws: `StoreError`.
  public func bags(withKeys keys: [UUID]) throws -> [Bag] {
    var found: [Bag] = []
    for key in keys { if let bag = try bag(key: key) { found.append(bag) } }
    return found
  }

  /// Returns the bags that have an object as a member, in the order in which they were inserted.
  ///
  /// - Throws: `StoreError`: `objectOfOtherStore`.
  /// - Complexity: O(*n*) in the bags found, which an index finds, and in the bags with pending changes.
  public func bags(containing object: StoredObject) throws -> [Bag] {
    guard let other = object.store else { return [] }
    guard other === self else { throw Bag.otherStore }
    return try owners(ofSet: \Bag.members, referringTo: object)
  }

  private func inOrder(_ bags: [Bag]) -> [Bag] {
    bags.sorted { ($0.anyID?.rowID ?? 0) < ($1.anyID?.rowID ?? 0) }
  }
}
