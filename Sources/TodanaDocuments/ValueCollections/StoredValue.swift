public import Todana

/// The object that keeps a value of a ``ValueCollection``.
///
/// Programs use values; this class appears only in the types of conditions.
public final class StoredValue<Value: Codable & Sendable>: StoredObject {
  /// The value; nil in an object without content.
  public private(set) var value: Value?
  /// The bytes of the record, which may have keys that the type does not have.
  private(set) var content: [UInt8] = []

  /// The ids of values that are not saved yet, which the object is noted in when it is inserted.
  var pending: PendingValues<Value>?

  public required init() { super.init() }

  init(_ value: Value, content: [UInt8]) {
    self.value = value
    self.content = content
    super.init()
  }

  public override class var isInCollections: Bool { true }

  /// The name that all values have in the list of collections, so that the Swift type can be renamed.
  public override class var collectionElementName: String { "StoredValue" }

  public override class func collectionIndexes(
    ofCollection name: String, description: [UInt8]
  ) throws -> CollectionIndexes {
    CollectionIndexes(indexes: try ValueDescription(decoding: description).indexes(of: Value.self))
  }

  /// Replaces the value; the caller has announced the change.
  func set(_ value: Value, content: [UInt8]) {
    self.value = value
    self.content = content
  }

  public override func willInsert(into store: Store) throws { pending?.note(self) }

  public override func writeContent(to buffer: inout DataBuffer) { buffer.writeRawBytes(content) }

  public override func readContent(from buffer: inout DataBuffer) throws {
    content = try buffer.readRawBytes(count: buffer.remainingByteCount)
    buffer.rewind()
    value = try buffer.readCodable(Value.self)
  }
}
