internal import Synchronization

/// The jobs that own content not yet stored by a commit, so that equal content is compressed and stored once.
///
/// If several jobs have equal content, the earliest owns it, since results are stored in the order of jobs. An earlier
/// job takes over the claim of a later one. A claim stays until the commit that stores its content is done.
final class ContentOwnership: Sendable {
  private struct State {
    var jobs: [ContentName: Int] = [:]
    /// The names claimed by two jobs, with the later job's number.
    var contested: [ContentName: Int] = [:]
  }

  private let state = Mutex(State())

  /// Claims content for a job; returns true if the job must provide the content.
  ///
  /// Returns false if this or an earlier job has claimed it already.
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

  /// Drops a job's claim, since the archive already has the content.
  func drop(_ name: ContentName, of job: Int) {
    state.withLock { state in
      if state.jobs[name] == job { state.jobs[name] = nil }
    }
  }

  /// Tests whether another job may have provided the content, too.
  func isContested(_ name: ContentName) -> Bool { state.withLock { $0.contested[name] != nil } }

  /// Drops the claims for committed content, which is found in the archive from now on.
  ///
  /// - Parameters:
  ///   - names: The names of the content.
  ///   - end: The number of the first job whose result is not stored yet.
  func forget(_ names: some Sequence<ContentName>, before end: Int) {
    state.withLock { state in
      for name in names { state.jobs[name] = nil }
      if !state.contested.isEmpty { state.contested = state.contested.filter { $0.value >= end } }
    }
  }
}

/// The owners of chunks and groups, and separately the owners of small files.
///
/// A group of a single small file has the same bytes as the file, and so the same name.
struct AddOwnership: Sendable {
  let contents = ContentOwnership()
  let smallFiles = ContentOwnership()
}
