public import Foundation
public import Todana

/// A document in a collection: a dictionary of any values, with a key.
///
/// ```swift
/// let users = try store.documents("users")
/// let user = try users.insert(["last_name": "Doe", "address": ["country": "US"]])
/// user["address.city"] = "Boston"
/// try store.saveChanges()
/// ```
///
/// A document is an object like others: it has an identity, one instance in each store, and pending changes. Changes are
/// announced by themselves, and reading a fault loads it. If loading fails, the value is nil, and the store's next
/// throwing call throws the error. Documents belong to their store's isolation domain, as all objects do.
public final class Document: StoredObject {
  /// The value, in the form in which it was read or changed last.
  private var form = Form.encoded(.emptyDictionary)
  /// The time of the last save; nil if the document was never saved.
  private var saveTime: Date?
  /// The fields that most documents do not have, so that these take no room for them.
  private var rareFields: RareFields?

  private final class RareFields {
    var ownKey: UUID?
    var formerKey: UUID?
    var originalClass: String?
    var givenSaveTime: Date?
  }

  /// The key, if it is not the one that follows from the row.
  private var ownKey: UUID? {
    get { rareFields?.ownKey }
    set { if newValue != nil || rareFields != nil { fieldsForChange.ownKey = newValue } }
  }

  /// The key that followed from the row when the document was deleted.
  private var formerKey: UUID? {
    get { rareFields?.formerKey }
    set { if newValue != nil || rareFields != nil { fieldsForChange.formerKey = newValue } }
  }

  /// The name of the class whose object the document was made of; nil for a plain document.
  ///
  /// It is kept and written back by programs that do not have the class.
  private var originalClass: String? {
    get { rareFields?.originalClass }
    set { if newValue != nil || rareFields != nil { fieldsForChange.originalClass = newValue } }
  }

  /// The time that the first save keeps; nil once the document was changed or read.
  private var givenSaveTime: Date? {
    get { rareFields?.givenSaveTime }
    set { if newValue != nil || rareFields != nil { fieldsForChange.givenSaveTime = newValue } }
  }

  private var fieldsForChange: RareFields {
    let fields = rareFields ?? RareFields()
    rareFields = fields
    return fields
  }

  private enum Form {
    case encoded(EncodedValue)
    case decoded(DocumentValue)
  }

  public required init() { super.init() }

  /// Makes a document in no collection.
  ///
  /// - Parameters:
  ///   - value: The content; a dictionary.
  ///   - key: The key; nil for one that it gets when it is inserted.
  /// - Throws: ``DocumentError/Code/wrongKind`` if the value is no dictionary; ``DocumentError/Code/tooDeep``;
  ///   ``DocumentError/Code/tooLarge`` if it has more than 1 GiB.
  public init(_ value: DocumentValue, key: UUID? = nil) throws(DocumentError) {
    super.init()
    try Self.check(value)
    // Most documents are inserted unchanged, and their bytes take less memory than their values.
    form = .encoded(try EncodedValue(value, byteLimit: BinaryForm.largestByteLimit))
    ownKey = key
  }

  /// Makes a document of an object of another store, in no collection.
  ///
  /// ```swift
  /// try people.insert(Document(["name": "Doe"], key: key, originalClassName: "Person", savedAt: date))
  /// ```
  ///
  /// - Parameters:
  ///   - value: The content; a dictionary.
  ///   - key: The key; nil for one that it gets when it is inserted.
  ///   - originalClassName: The name of the class of the object; nil for a plain document.
  ///   - savedAt: The time of its last save there, which the first save here keeps unless the document is changed
  ///     before; nil for the time of the save.
  /// - Throws: The errors of ``init(_:key:)``.
  public convenience init(
    _ value: DocumentValue, key: UUID?, originalClassName: String?, savedAt: Date? = nil
  ) throws(DocumentError) {
    try self.init(value, key: key)
    originalClass = originalClassName
    givenSaveTime = savedAt
  }

  static func check(_ value: DocumentValue) throws(DocumentError) {
    guard value.kind == .dictionary else {
      throw DocumentError(.wrongKind, "a document is a dictionary, not a value of the kind \(value.kind)")
    }
  }

  public override class var isInCollections: Bool { true }

  public override class func collectionIndexes(
    ofCollection name: String, description: [UInt8]
  ) throws -> CollectionIndexes {
    try CollectionDescription(decoding: description).collectionIndexes()
  }

  // MARK: Values

  /// The whole content, a dictionary.
  ///
  /// Assigning another kind of value has no effect.
  public var value: DocumentValue {
    get {
      guard loadOnAccess() else { return DocumentValue(DocumentDictionary()) }
      return storedValue
    }
    set {
      guard newValue.kind == .dictionary, loadOnAccess() else { return }
      willUpdate()
      givenSaveTime = Optional.none
      form = .decoded(newValue)
    }
  }

  /// The value at a path; nil if there is none (``DocumentValue/subscript(_:)-(String)``).
  public subscript(path: String) -> DocumentValue? {
    get {
      // Most paths are one key, which is not worth a path.
      guard DocumentPath.isOneKey(path) else { return self[DocumentPath(path)] }
      guard loadOnAccess() else { return Optional.none }
      switch form {
      case .encoded(let encoded): return encoded.checkedValue(ofKey: path)
      case .decoded(let value): return value.fields?[path]
      }
    }
    set { self[DocumentPath(path)] = newValue }
  }

  /// The value at a path; nil if there is none.
  public subscript(path: DocumentPath) -> DocumentValue? {
    get {
      guard loadOnAccess() else { return Optional.none }
      switch form {
      case .encoded(let encoded): return encoded.checkedValue(at: path)
      case .decoded(let value): return value.value(at: path)
      }
    }
    set { _ = try? change { try $0.set(newValue, at: path) } }
  }

  /// Returns all values at a path, in the order of the document.
  public func values(at path: DocumentPath) -> [DocumentValue] {
    guard loadOnAccess() else { return [] }
    switch form {
    case .encoded(let encoded): return encoded.checkedValues(at: path)
    case .decoded(let value): return value.values(at: path)
    }
  }

  /// Changes the content by a closure, such as ``DocumentValue/append(_:at:)`` or ``DocumentValue/merge(_:deeply:)``.
  ///
  /// ```swift
  /// try user.change { try $0.append("john@foo.com", at: "emails") }
  /// ```
  ///
  /// - Throws: The errors of the closure; ``DocumentError/Code/wrongKind`` if the content is no dictionary then. Nothing
  ///   has changed in this case.
  public func change(_ body: (inout DocumentValue) throws -> Void) throws {
    guard loadOnAccess() else {
      throw DocumentError(.notLoaded, "the document cannot be loaded; the store's next call throws the reason")
    }
    var value = storedValue
    try body(&value)
    try Self.check(value)
    willUpdate()
    givenSaveTime = Optional.none
    form = .decoded(value)
  }

  private var storedValue: DocumentValue {
    switch form {
    case .encoded(let encoded): encoded.checkedValue
    case .decoded(let value): value
    }
  }

  /// A text for people: the identity, and the beginning of the content as JSON.
  public override var description: String {
    let name = "Document" + (anyID.map { " \($0)" } ?? "")
    if isFault { return name + " (not loaded)" }
    let text = storedValue.description
    return "\(name) \(text.count > 200 ? "\(text.prefix(200))…" : text)"
  }

  // MARK: Keys

  /// The key, which is unique in the collection and never changes.
  ///
  /// A document that was inserted without a key gets one that leads to its row, so that no index is needed to find it.
  public var key: UUID {
    if let ownKey { return ownKey }
    if let key = keyOfRow { return key }
    let key = formerKey ?? UUID()
    ownKey = key
    return key
  }

  /// The key that follows from the row; nil outside of collections.
  private var keyOfRow: UUID? {
    guard let id = anyID, let description = store?.collection(of: self)?.description,
      let salt = CollectionDescription.salt(of: description)
    else { return nil }
    return DocumentKeys.key(row: id.rowID, salt: salt)
  }

  /// The key, if it is stored in the document; nil if it follows from the row.
  var storedKey: UUID? { ownKey }

  /// The time of the last save; nil for a document that was never saved.
  public var savedAt: Date? { loadOnAccess() ? saveTime : nil }

  /// The name of the class whose object the document was made of; nil for a plain document.
  public var originalClassName: String? { loadOnAccess() ? originalClass : nil }

  func setOriginalClass(_ name: String?) { originalClass = name }

  // MARK: Records

  private enum Flag {
    static let key: UInt8 = 1
    static let time: UInt8 = 2
    static let className: UInt8 = 4
    static let all: UInt8 = 7
  }

  public override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeUInt8(
      (ownKey == nil ? 0 : Flag.key) | (saveTime == nil ? 0 : Flag.time) | (originalClass == nil ? 0 : Flag.className))
    if let ownKey { buffer.writeUUID(ownKey) }
    if let saveTime { buffer.writeDate(saveTime) }
    if let originalClass { buffer.writeString(originalClass) }
    switch form {
    // These bytes were read from a record, or their number was checked when the document was inserted.
    case .encoded(let encoded): buffer.writeBytes(encoded.bytes)
    case .decoded(let value):
      do throws(DocumentError) {
        buffer.writeBytes(try EncodedValue(value, byteLimit: byteLimit).bytes)
      } catch {
        buffer.refuse(error.description)
      }
    }
  }

  /// The maximum number of bytes, which the collection sets.
  private var byteLimit: Int {
    store?.collection(of: self).flatMap { CollectionDescription.byteLimit(of: $0.description) }
      ?? BinaryForm.largestByteLimit
  }

  /// Throws if the document has more bytes than a collection accepts.
  func checkSize(_ byteLimit: Int) throws(DocumentError) {
    switch form {
    case .decoded(let value): _ = try EncodedValue(value, byteLimit: byteLimit)
    case .encoded(let encoded):
      if encoded.bytes.count > byteLimit { throw BinaryForm.tooLarge(encoded.bytes.count, byteLimit) }
    }
  }

  public override func readContent(from buffer: inout DataBuffer) throws {
    let flags = try buffer.readUInt8()
    guard flags & ~Flag.all == 0 else {
      throw DocumentError(.invalidBytes, "the record of a document has the unknown flags \(flags)")
    }
    givenSaveTime = Optional.none
    ownKey = flags & Flag.key != 0 ? try buffer.readUUID() : nil
    saveTime = flags & Flag.time != 0 ? try buffer.readDate() : nil
    originalClass = flags & Flag.className != 0 ? try buffer.readString() : nil
    form = .encoded(try EncodedValue(checking: buffer.readBytes()))
  }

  public override func willSave(in store: Store) throws {
    saveTime = givenSaveTime ?? Date()
  }

  public override func willDelete(from store: Store) throws {
    // A document that is inserted again has another row, but keeps its key.
    if ownKey == nil { formerKey = keyOfRow }
  }

  public override func willInsert(into store: Store) throws {
    if ownKey == nil, let formerKey, formerKey != keyOfRow { ownKey = formerKey }
  }
}
