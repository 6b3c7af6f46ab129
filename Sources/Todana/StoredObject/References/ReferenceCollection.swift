/// A collection of references in a property of a class: an array, a set, or ``LazyReferences``.
public protocol ReferenceCollection: Sequence where Element: StoredObject {
  /// Tests whether the collection refers to the object with an identity; loads nothing.
  func refers(to id: AnyObjectID) -> Bool
}

extension Array: ReferenceCollection where Element: StoredObject {
  public func refers(to id: AnyObjectID) -> Bool { contains { $0.anyID == id } }
}

extension Set: ReferenceCollection where Element: StoredObject {
  public func refers(to id: AnyObjectID) -> Bool { contains { $0.anyID == id } }
}

extension LazyReferences: ReferenceCollection {
  /// Tests whether the list refers to the object with an identity, without making objects.
  ///
  /// - Complexity: O(*n*)
  public func refers(to id: AnyObjectID) -> Bool { list.refers(to: id) }
}
