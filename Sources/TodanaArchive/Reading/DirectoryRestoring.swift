internal import Synchronization

/// A directory whose files are made by other threads than the one that goes through the tree.
///
/// It gets its own metadata after the last of them: making a file in it changes its time.
final class DirectoryRestoring: Sendable {
  private struct State {
    var pendingCount = 0
    /// Set when the walk has left the directory, and files are still missing.
    var left: (target: TargetDirectory, entry: FileEntry)?
  }

  /// Whether the metadata of an existing directory is left alone.
  private let keepsExisting: Bool
  private let state = Mutex(State())

  init(keepsExisting: Bool = false) { self.keepsExisting = keepsExisting }

  /// Called before a file of the directory is made.
  func begin() { state.withLock { $0.pendingCount += 1 } }

  /// Called when it was made, or cannot be.
  func end() {
    let left = state.withLock { state -> (target: TargetDirectory, entry: FileEntry)? in
      state.pendingCount -= 1
      return state.pendingCount == 0 ? state.left.take() : nil
    }
    if let left { left.target.finish(left.entry, keepsExisting: keepsExisting) }
  }

  /// Called when no more files come.
  func leave(_ target: TargetDirectory, _ entry: FileEntry) {
    let isComplete = state.withLock { state in
      if state.pendingCount > 0 { state.left = (target, entry) }
      return state.pendingCount == 0
    }
    if isComplete { target.finish(entry, keepsExisting: keepsExisting) }
  }
}
