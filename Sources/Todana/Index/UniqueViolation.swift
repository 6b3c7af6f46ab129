/// An error of a save that would give two objects equal values in a unique index.
///
/// Nothing was saved. Everything stays pending: change or delete one of the two objects, or discard the changes.
public struct UniqueViolation: Error, Sendable, CustomStringConvertible {
  /// The stored name of the class.
  public let className: String
  /// The name of the index.
  public let indexName: String
  /// The values that both objects have, as text, in the order of the index's parts.
  public let values: [String]
  /// The object that was to be saved; while building an index, one of the two.
  public let objectID: AnyObjectID
  /// The object that already has the values, or would have them after the same save.
  public let otherObjectID: AnyObjectID

  public var description: String {
    "Two objects of \(className), \(objectID) and \(otherObjectID), would have the same \(indexName): "
      + values.joined(separator: ", ") + "; the index is unique."
  }
}
