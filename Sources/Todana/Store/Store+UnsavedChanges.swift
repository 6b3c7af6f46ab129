public import Observation

extension Store: Observable {
  /// Whether any change is pending.
  ///
  /// The property is observable: `withObservationTracking` and `Observations` see it change.
  public var hasUnsavedChanges: Bool {
    observation.access(self, keyPath: \.hasUnsavedChanges)
    return pendingCount > 0
  }

  /// Adjusts the number of pending changes; observers are notified only when it becomes nonzero or zero.
  @inline(__always)
  func adjustPendingCount(by difference: Int) {
    let count = pendingCount + difference
    if (count == 0) == (pendingCount == 0) {
      pendingCount = count
    } else {
      observation.withMutation(of: self, keyPath: \.hasUnsavedChanges) { pendingCount = count }
    }
  }
}
