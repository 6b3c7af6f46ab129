/// A save was refused because two objects would have the same values in a unique index.
///
/// Nothing was saved. /// Everything stays pending: change or delete one of the two, or discard the changes.
public struct UniqueViolation: Error, Sendable, CustomStringConvertible {
  /// The stored name of the class.
  public let className: String
  /// The name of the index.
  public let indexName: String
  /// The values that both have, for people, in the order of the index's parts.
  public let values: [String]
  /// The object that was to be saved; where an index was to be built, one of the two.
  public let objectID: AnyObjectID
  /// The object that has the values already, or is to have them by the same save.
  public let otherObjectID: AnyObjectID

  public var description: String {
    "Two objects of \(className), \(objectID) and \(otherObjectID), would have the same \(indexName): "
      + values.joined(separator: ", ") + "; the index is unique."
  }
}
