// Conditions on references.
extension Property {
  /// Returns a condition that is true if the property refers to the object; for nil, if it refers to none.
  ///
  /// If the object was not inserted, the condition is false for every object.
  public static func == <Target: StoredObject>(lhs: Self, rhs: Target?) -> Condition<Root> where Value == Target? {
    lhs.refers(toOneOf: ReferenceTargets(objects: [rhs], of: Target.self))
  }

  public static func != <Target: StoredObject>(lhs: Self, rhs: Target?) -> Condition<Root> where Value == Target? {
    !(lhs == rhs)
  }

  /// Returns a condition that is true if the property refers to the object with this identity.
  public static func == <Target: StoredObject>(
    lhs: Self, rhs: ObjectID<Target>
  ) -> Condition<Root> where Value == Target? {
    lhs.refers(toOneOf: ReferenceTargets([rhs.untyped], of: Target.self))
  }

  public static func != <Target: StoredObject>(
    lhs: Self, rhs: ObjectID<Target>
  ) -> Condition<Root> where Value == Target? {
    !(lhs == rhs)
  }

  /// Returns a condition that is true if the property refers to one of the objects.
  ///
  /// Objects that were not inserted are ignored.
  public func isIn<Target: StoredObject>(
    _ objects: some Sequence<Target>
  ) -> Condition<Root> where Value == Target? {
    refers(toOneOf: ReferenceTargets(objects: objects.lazy.map { $0 }, of: Target.self))
  }

  /// Returns a condition that is true if the property refers to one of the objects.
  ///
  /// If nil is among them, the condition is also true if the property refers to none. Objects that were not inserted are
  /// ignored.
  @_disfavoredOverload
  public func isIn<Target: StoredObject>(
    _ objects: some Sequence<Target?>
  ) -> Condition<Root> where Value == Target? {
    refers(toOneOf: ReferenceTargets(objects: objects.lazy.map { $0 }, of: Target.self))
  }

  /// Returns a condition that is true if the property refers to an object with one of these identities.
  public func isIn<Target: StoredObject>(
    _ ids: some Sequence<ObjectID<Target>>
  ) -> Condition<Root> where Value == Target? {
    refers(toOneOf: ReferenceTargets(ids.lazy.map(\.untyped), of: Target.self))
  }

  private func refers<Target: StoredObject>(
    toOneOf targets: ReferenceTargets
  ) -> Condition<Root> where Value == Target? {
    if targets.isEmpty { return .never }
    let read = read
    let test = ReferenceTest<Root>(
      path: path, isOptional: true, read: { object throws(StoreError) in try read(object) }, targets: targets)
    return Condition(.test(test))
  }
}

extension Property where Value: StoredObject {
  /// Returns a condition that is true if the property refers to the object.
  public static func == (lhs: Self, rhs: Value) -> Condition<Root> {
    lhs.refers(toOneOf: ReferenceTargets(objects: [rhs], of: Value.self))
  }

  public static func != (lhs: Self, rhs: Value) -> Condition<Root> { !(lhs == rhs) }

  /// Returns a condition that is true if the property refers to the object with this identity.
  public static func == (lhs: Self, rhs: ObjectID<Value>) -> Condition<Root> {
    lhs.refers(toOneOf: ReferenceTargets([rhs.untyped], of: Value.self))
  }

  public static func != (lhs: Self, rhs: ObjectID<Value>) -> Condition<Root> { !(lhs == rhs) }

  /// Returns a condition that is true if the property refers to one of the objects.
  ///
  /// Objects that were not inserted are ignored.
  public func isIn(_ objects: some Sequence<Value>) -> Condition<Root> {
    refers(toOneOf: ReferenceTargets(objects: objects.lazy.map { $0 }, of: Value.self))
  }

  /// Returns a condition that is true if the property refers to an object with one of these identities.
  public func isIn(_ ids: some Sequence<ObjectID<Value>>) -> Condition<Root> {
    refers(toOneOf: ReferenceTargets(ids.lazy.map(\.untyped), of: Value.self))
  }

  private func refers(toOneOf targets: ReferenceTargets) -> Condition<Root> {
    if targets.isEmpty { return .never }
    let read = read
    let test = ReferenceTest<Root>(
      path: path, isOptional: false, read: { object throws(StoreError) in try read(object) }, targets: targets)
    return Condition(.test(test))
  }
}

// Lists of references: arrays, sets, and `LazyReferences`. `$0.songs.count` is a property like any other.
extension Property where Value: ReferenceCollection {
  /// Returns a condition that is true if the list of references contains the object.
  public func contains(_ object: Value.Element) -> Condition<Root> {
    guard let test = ReferenceListTest(property: self, target: object) else { return .never }
    return Condition(.test(test))
  }

  /// Returns a condition that is true if the list of references contains the object with this identity.
  public func contains(_ id: ObjectID<Value.Element>) -> Condition<Root> {
    Condition(.test(ReferenceListTest(property: self, target: id.untyped)))
  }

  /// Returns a condition that is true if the list leads to an object that meets a condition.
  ///
  /// ```swift
  /// Playlist.where { $0.songs.contains { $0.title == "So What" } }
  /// ```
  ///
  /// The objects are loaded, many at a time. A reference to an object that does not exist meets no condition. To find
  /// lists all of whose objects meet a condition, negate twice: `!$0.songs.contains { !($0.seconds > 200) }`.
  public func contains(
    _ condition: (Properties<Value.Element>) -> Condition<Value.Element>
  ) -> Condition<Root> {
    contains(condition(Properties()))
  }

  /// Returns a condition that is true if the list leads to an object for which a property is true.
  public func contains(
    _ property: (Properties<Value.Element>) -> Property<Value.Element, Bool>
  ) -> Condition<Root> {
    contains(property(Properties()).condition)
  }

  private func contains(_ condition: Condition<Value.Element>) -> Condition<Root> {
    Condition(.test(ReferencedTest(property: self, condition: condition.node)), depth: 1 + condition.depth)
  }
}
