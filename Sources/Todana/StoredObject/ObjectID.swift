/// The identity of a saved object: its class and its row.
///
/// It never changes, and is never used for another object.
///
/// `Sendable`: it is what one isolation domain hands to another, which then fetches the object from a store of its own.
///
/// ```swift
/// let id = try store.insert(song)
/// let title = try await library.perform { store in try store.fetch(id)?.title }
/// ```
///
/// Ordered by class, then row. Its ``description``, such as `1-17`, reads back with ``init(_:)``, and is what it
/// encodes to.
public struct ObjectID<T: StoredObject>: Hashable, Comparable, Sendable {
  /// The identity without its type.
  public let untyped: AnyObjectID

  /// The class that the object was inserted as: `T` or a subclass of it.
  public var classID: KeyspaceID { untyped.classID }

  /// The row within the class.
  public var rowID: RowID { untyped.rowID }

  /// Takes an untyped identity for one of a `T`; a fetch checks it.
  public init(unchecked untyped: AnyObjectID) { self.untyped = untyped }

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.untyped < rhs.untyped }
}

extension ObjectID: LosslessStringConvertible {
  /// Reads what ``description`` gives; nil for anything else.
  public init?(_ description: String) {
    guard let untyped = AnyObjectID(description) else { return nil }
    self.init(unchecked: untyped)
  }

  /// Class and row: `1-17`.
  public var description: String { untyped.description }
}

extension ObjectID: Codable {
  public init(from decoder: any Decoder) throws { try self.init(unchecked: AnyObjectID(from: decoder)) }

  public func encode(to encoder: any Encoder) throws { try untyped.encode(to: encoder) }
}
