/// A relationship of a class: a property that refers to other objects, with the rules for deletes at either end.
///
/// ```swift
/// final class Album: StoredObject {
///   var songs: [Song] = []
///
///   override class var relationships: [Relationship] {
///     [Relationship(\Album.songs, onDelete: .cascade, onTargetDelete: .nullify)]
///   }
/// }
/// ```
///
/// The object with the property is the *owner*, and the objects that it refers to are its *targets*. All deletes obey
/// the rules: of objects, of identities, of queries, and ``Store/removeAll(_:includingSubclasses:)``. Pending changes
/// count.
///
/// **No save leaves a reference to an object that does not exist**, unless the rule is ``TargetDeleteRule/keep``. A save
/// that adds a reference to an object that another store has deleted throws ``SaveConflict``, and so does a save that
/// deletes an object to which another store has added a reference.
///
/// The store maintains an index of the references, in the same commits as the records, by which owners are found.
/// Conditions such as `$0.songs.contains(song)` use it as well.
public struct Relationship: Sendable {
  /// The effect on the targets when the owner is deleted.
  public enum DeleteRule: Sendable {
    /// The targets stay.
    case nothing
    /// The targets are deleted, too.
    case cascade
    /// The delete throws ``StoreError/Code/deleteDenied`` as long as the owner has targets that are not deleted with it.
    case deny
  }

  /// The effect on the owner when a target is deleted.
  public enum TargetDeleteRule: Sendable {
    /// The property becomes nil, or the target is removed from the list.
    case nullify
    /// The owner is deleted, too.
    case cascade
    /// The delete throws ``StoreError/Code/deleteDenied`` as long as there are owners that are not deleted with it.
    case deny
    /// The owner does not change.
    ///
    /// Its record keeps the reference until the owner is saved again. An owner that is loaded later does not have it:
    /// the property is nil, or the list lacks the target.
    case keep
  }

  /// The effect on the owner when a target is deleted, for a property that cannot be nil.
  public enum RequiredTargetDeleteRule: Sendable {
    /// The owner is deleted, too.
    case cascade
    /// The delete throws ``StoreError/Code/deleteDenied`` as long as there are owners that are not deleted with it.
    case deny
    /// The owner does not change, and its property leads to a fault that cannot be loaded.
    ///
    /// The owner can be saved again only with another target.
    case keep
  }

  let path: PropertyPath
  /// The class that the key path starts from.
  let root: AnyObject.Type
  let target: StoredObject.Type
  let onDelete: DeleteRule
  let onTargetDelete: TargetDeleteRule
  private let givenName: String?
  /// Whether the property can be nil, which its index has an entry for.
  let isOptional: Bool
  /// Calls back with the identity of each target of an owner, without making objects.
  ///
  /// Objects in no store have no identity, and are left out.
  let forEachTarget: @Sendable (StoredObject, (AnyObjectID) -> Void) -> Void
  /// Removes those targets of an owner that a closure accepts; nil if the property cannot be nil.
  let removeTargets: (@Sendable (StoredObject, (AnyObjectID) -> Bool) -> Void)?
  /// Removes the targets of an owner that are deleted; nil if the property cannot be nil.
  let removeDeletedTargets: (@Sendable (StoredObject) -> Void)?
  private let indexPart: IndexPart

  /// Declares a property that holds a list of references.
  ///
  /// - Parameters:
  ///   - keyPath: The property. An element may be of a subclass if `writeContent` writes it as a reference to any class.
  ///   - onDelete: The effect on the targets when the owner is deleted.
  ///   - onTargetDelete: The effect on the owner when a target is deleted.
  ///   - name: The name by which later runs identify the relationship; by default that of the property.
  public init<Root: StoreIdentifiable, Target: StoredObject>(
    _ keyPath: any ReferenceWritableKeyPath<Root, [Target]> & Sendable, onDelete: DeleteRule = .nothing,
    onTargetDelete: TargetDeleteRule = .nullify, name: String? = nil
  ) {
    self.init(list: keyPath, onDelete, onTargetDelete, name: name)
  }

  /// Declares a property that holds a set of references.
  ///
  /// The parameters are those for a list.
  public init<Root: StoreIdentifiable, Target: StoredObject>(
    _ keyPath: any ReferenceWritableKeyPath<Root, Set<Target>> & Sendable, onDelete: DeleteRule = .nothing,
    onTargetDelete: TargetDeleteRule = .nullify, name: String? = nil
  ) {
    self.init(list: keyPath, onDelete, onTargetDelete, name: name)
  }

  /// Declares a property that holds a list of references that are resolved on access.
  ///
  /// The parameters are those for a list.
  public init<Root: StoreIdentifiable, Target: StoredObject>(
    _ keyPath: any ReferenceWritableKeyPath<Root, LazyReferences<Target>> & Sendable, onDelete: DeleteRule = .nothing,
    onTargetDelete: TargetDeleteRule = .nullify, name: String? = nil
  ) {
    self.init(list: keyPath, onDelete, onTargetDelete, name: name)
  }

  /// Declares a property that holds a set of references to objects of any class.
  ///
  /// The parameters are those for a list.
  package init<Root: StoreIdentifiable>(
    _ keyPath: any ReferenceWritableKeyPath<Root, ReferenceSet> & Sendable, onDelete: DeleteRule = .nothing,
    onTargetDelete: TargetDeleteRule = .nullify, name: String? = nil
  ) {
    self.init(list: keyPath, onDelete, onTargetDelete, name: name)
  }

  /// Declares a property that holds one reference, or nil.
  ///
  /// The parameters are those for a list.
  public init<Root: StoreIdentifiable, Target: StoredObject>(
    _ keyPath: any ReferenceWritableKeyPath<Root, Target?> & Sendable, onDelete: DeleteRule = .nothing,
    onTargetDelete: TargetDeleteRule = .nullify, name: String? = nil
  ) {
    self.init(
      keyPath, IndexPart(keyPath, isDescending: false), onDelete, onTargetDelete, name: name,
      isOptional: true, removeTargets: Self.removal(of: keyPath), removeDeletedTargets: Self.deletedRemoval(of: keyPath)
    )
  }

  /// Declares a property that always holds a reference.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - onDelete: The effect on the target when the owner is deleted.
  ///   - onTargetDelete: The effect on the owner when the target is deleted.
  ///   - name: The name by which later runs identify the relationship; by default that of the property.
  public init<Root: StoreIdentifiable, Target: StoredObject>(
    _ keyPath: any KeyPath<Root, Target> & Sendable, onDelete: DeleteRule = .nothing,
    onTargetDelete: RequiredTargetDeleteRule = .deny, name: String? = nil
  ) {
    let rule: TargetDeleteRule =
      switch onTargetDelete {
      case .cascade: .cascade
      case .deny: .deny
      case .keep: .keep
      }
    self.init(
      keyPath, IndexPart(keyPath, isDescending: false), onDelete, rule, name: name, isOptional: false,
      removeTargets: nil, removeDeletedTargets: nil)
  }

  private init<Root: StoreIdentifiable, List: RelationshipValue>(
    list keyPath: any ReferenceWritableKeyPath<Root, List> & Sendable, _ onDelete: DeleteRule,
    _ onTargetDelete: TargetDeleteRule, name: String?
  ) {
    self.init(
      keyPath, IndexPart(referencesIn: keyPath), onDelete, onTargetDelete, name: name, isOptional: false,
      removeTargets: Self.removal(of: keyPath), removeDeletedTargets: Self.deletedRemoval(of: keyPath))
  }

  private init<Root: StoreIdentifiable, Value: RelationshipValue>(
    _ keyPath: any KeyPath<Root, Value> & Sendable, _ indexPart: IndexPart, _ onDelete: DeleteRule,
    _ onTargetDelete: TargetDeleteRule, name: String?, isOptional: Bool,
    removeTargets: (@Sendable (StoredObject, (AnyObjectID) -> Bool) -> Void)?,
    removeDeletedTargets: (@Sendable (StoredObject) -> Void)?
  ) {
    path = PropertyPath(keyPath)
    root = Root.self
    target = Value.target
    self.onDelete = onDelete
    self.onTargetDelete = onTargetDelete
    givenName = name
    self.isOptional = isOptional
    self.removeTargets = removeTargets
    self.removeDeletedTargets = removeDeletedTargets
    self.indexPart = indexPart
    forEachTarget = { owner, body in
      // The class that declares the relationship was checked to be a Root.
      unsafe unsafeDowncast(owner, to: Root.self)[keyPath: keyPath].forEachID(body)
    }
  }

  private static func removal<Root: StoreIdentifiable, Value: RelationshipValue>(
    of keyPath: any ReferenceWritableKeyPath<Root, Value> & Sendable
  ) -> @Sendable (StoredObject, (AnyObjectID) -> Bool) -> Void {
    // The class that declares the relationship was checked to be a Root.
    { owner, isRemoved in unsafe unsafeDowncast(owner, to: Root.self)[keyPath: keyPath].remove(isRemoved) }
  }

  private static func deletedRemoval<Root: StoreIdentifiable, Value: RelationshipValue>(
    of keyPath: any ReferenceWritableKeyPath<Root, Value> & Sendable
  ) -> @Sendable (StoredObject) -> Void {
    // The class that declares the relationship was checked to be a Root.
    { owner in unsafe unsafeDowncast(owner, to: Root.self)[keyPath: keyPath].removeDeleted() }
  }

  /// The name that identifies the relationship; nil if none is given and the name of the property is not known.
  var name: String? { givenName ?? path.name }

  /// The index of the references, named after the relationship.
  ///
  /// An index of kept references has another name, so that a program without the class knows that it is none of its
  /// concern.
  func index(named name: String) -> Index {
    let prefix = onTargetDelete == .keep ? Self.keptIndexPrefix : Self.indexPrefix
    return Index(
      parts: [indexPart], isUnique: false, nilIsDistinct: true, name: "\(prefix)(\(name))", version: 1, condition: nil)
  }

  static let indexPrefix = "references"
  static let keptIndexPrefix = "keptReferences"
}
