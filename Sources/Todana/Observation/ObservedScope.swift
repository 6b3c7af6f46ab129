/// The parts of a store whose changes a listener observes.
struct ObservedScope: Sendable, Equatable {
  /// Whether every commit concerns the listener.
  var isWhole = false
  var classes: Set<KeyspaceID> = []
  var includesNamedBuffers = false

  static let whole = ObservedScope(isWhole: true)

  /// Tests whether this scope includes another one.
  func includes(_ other: ObservedScope) -> Bool {
    if isWhole { return true }
    return !other.isWhole && classes.isSuperset(of: other.classes)
      && (includesNamedBuffers || !other.includesNamedBuffers)
  }

  /// The topics under which such changes are published.
  var topics: [ChangeHub.Topic] {
    if isWhole { return [.everything] }
    return classes.map { .objects($0) } + (includesNamedBuffers ? [.namedBuffers] : [])
  }
}
