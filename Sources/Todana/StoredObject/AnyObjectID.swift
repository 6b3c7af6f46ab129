/// The identity of a saved object of any class.
public struct AnyObjectID: Hashable, Sendable {
  /// The number of the class in the store.
  public let classID: KeyspaceID
  /// The row within the class.
  public let rowID: RowID

  public init(classID: KeyspaceID, rowID: RowID) {
    self.classID = classID
    self.rowID = rowID
  }

  /// Creates an untyped identity from a typed one.
  public init<T: StoredObject>(_ id: ObjectID<T>) { self = id.untyped }
}

extension AnyObjectID: Comparable {
  public static func < (lhs: Self, rhs: Self) -> Bool {
    (lhs.classID, lhs.rowID) < (rhs.classID, rhs.rowID)
  }
}

extension AnyObjectID: LosslessStringConvertible {
  /// Parses the text of a ``description``; nil for any other text.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let classNumber = UInt32(parts[0]), let rowID = RowID(parts[1]) else { return nil }
    self.init(classID: KeyspaceID(rawValue: classNumber), rowID: rowID)
  }

  /// The class and the row, such as `1-17`.
  public var description: String { "\(classID.rawValue)-\(rowID)" }
}

extension AnyObjectID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = AnyObjectID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "An object id consists of a class number and a row id, such as 1-17.")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
