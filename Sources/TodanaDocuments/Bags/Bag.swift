public import Foundation
public import Todana

/// An unordered set of references to objects and documents of any class, with or without a name.
///
/// ```swift
/// let bag = Bag(name: "favourites")
/// try store.insert(bag)
/// try bag.add(user)
/// try bag.add(song)
/// try store.saveChanges()
/// for object in try bag.objects() { print(object) }
/// ```
///
/// A bag is an object like others: it has an identity, one instance in each store, and pending changes, which it
/// announces by itself. `Bag.self` need not be listed when a store is opened. Several bags may have one name.
///
/// Removing a member only takes it out of the bag. An object that is deleted leaves all bags, in the same commit. A
/// reference that leads nowhere nevertheless, such as one to a document of a dropped collection, is skipped by
/// ``objects()``, and removed when the bag is saved again.
///
/// A bag belongs to its store's isolation domain, as all objects do.
public final class Bag: StoredObject {
  // Indexes and the relationship use these stored properties; all code outside uses those that load a fault.
  var storedLabel: String?
  /// The key; zero until a new bag needs one.
  var storedKey = Bag.noKey
  var members = ReferenceSet()

  /// The name and the members of the bag's record; nil if it was never saved.
  var saved: Content?
  /// The content that a save is writing.
  private var written: Content?
  /// The loaded members that the bag keeps in memory.
  var inflated: [StoredObject] = []
  /// Members that were found to lead nowhere.
  var absent: Set<AnyObjectID> = []
  /// The store of the members, as long as the bag is in none.
  var memberStore: ObjectIdentifier?

  /// A content of the bag, for comparison.
  struct Content: Equatable {
    var label: String?
    var ids: Set<AnyObjectID>
  }

  static let noKey = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  public required init() { super.init() }

  /// Makes an empty bag in no store.
  ///
  /// - Parameter name: The name, which need not be unique; nil for none.
  public init(name: String? = nil) {
    super.init()
    storedLabel = name
  }

  /// Makes an empty bag in no store with a key, such as that of a bag of another store.
  ///
  /// - Parameters:
  ///   - name: The name, which need not be unique; nil for none.
  ///   - key: The key, which no other bag of the store may have, and which is not all zeros.
  public convenience init(name: String? = nil, key: UUID) {
    self.init(name: name)
    storedKey = key
  }

  /// Makes a bag in no store with members.
  ///
  /// - Parameters:
  ///   - name: The name; nil for none.
  ///   - objects: Objects of one store, and objects that are in no store.
  /// - Throws: The errors of ``add(contentsOf:)``.
  public init<Object: StoredObject>(name: String? = nil, objects: some Sequence<Object>) throws {
    super.init()
    storedLabel = name
    try add(contentsOf: objects)
  }

  public override class var isRegisteredAtFirstUse: Bool { true }

  public override class var indexes: [Index] {
    [Index(\Bag.storedLabel, name: "name"), Index(\Bag.storedKey, unique: true, name: "key")]
  }

  public override class var relationships: [Relationship] { [Relationship(\Bag.members, name: "members")] }

  public override class var contentFields: [ContentField] {
    [
      ContentField("name", \Bag.storedLabel), ContentField("key", \Bag.storedKey),
      ContentField("members", .anyReferences),
    ]
  }

  /// The name; nil for none.
  public var name: String? {
    get { loadOnAccess() ? storedLabel : nil }
    set {
      guard loadOnAccess(), newValue != storedLabel else { return }
      willUpdate()
      storedLabel = newValue
    }
  }

  /// The key, which is unique in the store and never changes.
  ///
  /// It is found by an index (`store.bag(key:)`).
  public var key: UUID {
    guard loadOnAccess() else { return Self.noKey }
    if storedKey == Self.noKey { storedKey = UUID() }
    return storedKey
  }

  /// A text for people: the identity, the name, and the number of members.
  public override var description: String {
    let text = "Bag" + (anyID.map { " \($0)" } ?? "")
    if isFault { return text + " (not loaded)" }
    return text + (storedLabel.map { " \"\($0)\"" } ?? "") + " (\(members.count) members)"
  }

  // MARK: Records

  public override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeOptionalString(storedLabel)
    buffer.writeUUID(storedKey)
    buffer.writeReferenceSet(members)
  }

  public override func readContent(from buffer: inout DataBuffer) throws {
    storedLabel = try buffer.readOptionalString()
    storedKey = try buffer.readUUID()
    members = try buffer.readReferenceSet()
    (inflated, absent) = ([], [])
    // A copy within the process has changes that are not saved.
    if !buffer.isOfCopy { saved = content }
  }

  var content: Content { Content(label: storedLabel, ids: members.allIDs) }

  public override func willInsert(into store: Store) throws {
    members.removeDeletedObjects()
    for object in members.objects where object.store != nil && object.store !== store { throw Self.otherStore }
    for object in members.objects { try Self.checkInsertable(object) }
    if storedKey == Self.noKey { storedKey = UUID() }
    try store.insert(contentsOf: members.objects.filter { $0.store == nil })
    memberStore = nil
  }

  public override func willSave(in store: Store) throws {
    members.subtract(absent)
    absent = []
    written = content
  }

  public override func didSave(in store: Store) {
    saved = written
    members.releaseSavedObjects()
  }

  public override func didDelete(from store: Store) {
    saved = nil
    // Identities mean nothing outside of the store.
    guard let objects = try? store.faults(of: members, inCollectionsOf: Self.collectionTypes) else { return }
    members = ReferenceSet(objects: objects)
    memberStore = objects.isEmpty ? nil : ObjectIdentifier(store)
  }

  /// The classes of members in collections.
  static var collectionTypes: [StoredObject.Type] { [Document.self] }
}
