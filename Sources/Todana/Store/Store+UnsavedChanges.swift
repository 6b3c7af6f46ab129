public import Observation

extension Store: Observable {
  /// Whether anything is pending.
  ///
  /// Observable: `withObservationTracking` and `Observations` see it change.
  public var hasUnsavedChanges: Bool {
    observation.access(self, keyPath: \.hasUnsavedChanges)
    return pendingCount > 0
  }

  /// Counts pending changes; observers hear of the first and of the last only.
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
