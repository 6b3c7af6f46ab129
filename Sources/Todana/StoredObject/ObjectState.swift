/// What an object is to its store; one byte within the object.
struct ObjectState: OptionSet {
  let rawValue: UInt8

  /// The content is not loaded.
  static let fault = ObjectState(rawValue: 1 << 0)
  static let inserted = ObjectState(rawValue: 1 << 1)
  static let updated = ObjectState(rawValue: 1 << 2)
  static let deleted = ObjectState(rawValue: 1 << 3)
  /// Within `readContent`, when assignments are not changes.
  static let decoding = ObjectState(rawValue: 1 << 4)
  /// Within `prepareForDelete`.
  static let deleting = ObjectState(rawValue: 1 << 5)
  /// Announced a change after a save whose outcome is not known yet.
  static let changedAgain = ObjectState(rawValue: 1 << 6)
  /// The object is in no store because its delete was saved: references to it lead nowhere.
  ///
  /// It shares the bit of ``changedAgain``, which only objects in a store have.
  static let gone = changedAgain
  /// Perhaps noted in the ``ChangeJournal``; one that is noted without it is noted again.
  static let noted = ObjectState(rawValue: 1 << 7)

  /// At most one of these stands at a time.
  static let pending: ObjectState = [.inserted, .updated, .deleted]

  var isPending: Bool { !isDisjoint(with: .pending) }

  var pendingDescription: String? {
    if contains(.inserted) { return "inserted" }
    if contains(.updated) { return "updated" }
    if contains(.deleted) { return "deleted" }
    return nil
  }
}
