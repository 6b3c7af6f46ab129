/// The identity of a saved object: its class and its row.
///
/// An identity never changes, and is never reused for another saved object. That of an object whose insert was never
/// saved ends with the session: a later session may give it to another object.
///
/// It is `Sendable`: one isolation domain passes it to another, which fetches the object from a store of its own.
///
/// ```swift
/// let id = try store.insert(song)
/// let title = try await library.perform { store in try store.fetch(id)?.title }
/// ```
///
/// Identities are ordered by class, then by row. The ``description``, such as `1-17`, is also the encoded form, and
/// ``init(_:)`` parses it.
public struct ObjectID<T: StoredObject>: Hashable, Comparable, Sendable {
  /// The identity without its type.
  public let untyped: AnyObjectID

  /// The class that the object was inserted as: `T` or a subclass of it.
  public var classID: KeyspaceID { untyped.classID }

  /// The row within the class.
  public var rowID: RowID { untyped.rowID }

  /// Creates an identity of a `T` without checking the class; a fetch checks it.
  public init(unchecked untyped: AnyObjectID) { self.untyped = untyped }

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.untyped < rhs.untyped }
}

extension ObjectID: LosslessStringConvertible {
  /// Parses the text of a ``description``; nil for any other text.
  public init?(_ description: String) {
    guard let untyped = AnyObjectID(description) else { return nil }
    self.init(unchecked: untyped)
  }

  /// The class and the row, such as `1-17`.
  public var description: String { untyped.description }
}

extension ObjectID: Codable {
  public init(from decoder: any Decoder) throws { try self.init(unchecked: AnyObjectID(from: decoder)) }

  public func encode(to encoder: any Encoder) throws { try untyped.encode(to: encoder) }
}
