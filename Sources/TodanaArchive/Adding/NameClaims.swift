internal import Synchronization

/// Which job brings content that no commit has yet, so that equal content is compressed and stored once.
///
/// Of several jobs with equal content the earliest brings it, for results are stored in the order of jobs: whoever meets
/// a later one's claim takes it over. Names stand here until the commit that stores their content is done.
final class NameClaims: Sendable {
  private struct State {
    var jobs: [ContentName: Int] = [:]
    /// Names that two jobs may bring, and the later job.
    var contested: [ContentName: Int] = [:]
  }

  private let state = Mutex(State())

  /// Whether the job is to bring the content; if not, an earlier one does, or itself already.
  func claim(_ name: ContentName, for job: Int) -> Bool {
    state.withLock { state in
      guard let other = state.jobs[name] else {
        state.jobs[name] = job
        return true
      }
      guard other > job else { return false }
      state.jobs[name] = job
      state.contested[name] = max(other, state.contested[name] ?? 0)
      return true
    }
  }

  /// The content was found to be stored.
  func drop(_ name: ContentName, of job: Int) {
    state.withLock { state in
      if state.jobs[name] == job { state.jobs[name] = nil }
    }
  }

  /// Whether another job may have brought it, too.
  func isContested(_ name: ContentName) -> Bool { state.withLock { $0.contested[name] != nil } }

  /// What was committed is found in the archive from now on.
  ///
  /// - Parameters:
  ///   - names: Of what was committed.
  ///   - end: The first job whose result was not stored.
  func forget(_ names: some Sequence<ContentName>, before end: Int) {
    state.withLock { state in
      for name in names { state.jobs[name] = nil }
      if !state.contested.isEmpty { state.contested = state.contested.filter { $0.value >= end } }
    }
  }
}

/// A group of one small file has the same bytes as the file, and so the same name.
struct AddClaims: Sendable {
  let contents = NameClaims()
  let smallFiles = NameClaims()
}
