/// The state of an object in its store, in one byte.
struct ObjectState: OptionSet {
  let rawValue: UInt8

  /// The content is not loaded.
  static let fault = ObjectState(rawValue: 1 << 0)
  static let inserted = ObjectState(rawValue: 1 << 1)
  static let updated = ObjectState(rawValue: 1 << 2)
  static let deleted = ObjectState(rawValue: 1 << 3)
  /// Set during `readContent`, while assignments do not count as changes.
  static let decoding = ObjectState(rawValue: 1 << 4)
  /// Set during `prepareForDelete`.
  static let deleting = ObjectState(rawValue: 1 << 5)
  /// A change was announced after a save whose outcome is not known yet.
  static let changedAgain = ObjectState(rawValue: 1 << 6)
  /// The object belongs to no store because its delete was saved; references to it are invalid.
  ///
  /// The bit is shared with ``changedAgain``, which is set only for objects in a store.
  static let gone = changedAgain
  /// The ``ChangeJournal`` may have an entry for the object.
  ///
  /// If the bit is not set, the journal adds an entry without searching for an earlier one.
  static let noted = ObjectState(rawValue: 1 << 7)

  /// The states of pending objects; at most one of them is set.
  static let pending: ObjectState = [.inserted, .updated, .deleted]

  var isPending: Bool { !isDisjoint(with: .pending) }

  var pendingDescription: String? {
    if contains(.inserted) { return "inserted" }
    if contains(.updated) { return "updated" }
    if contains(.deleted) { return "deleted" }
    return nil
  }
}
