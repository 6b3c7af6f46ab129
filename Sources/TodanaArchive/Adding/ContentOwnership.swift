internal import Synchronization

/// The job that owns each content no commit has stored yet, so that equal content is compressed and stored once.
///
/// Of several jobs with equal content the earliest owns it, since results are stored in the order of jobs: an earlier job
/// takes over the claim of a later one. A name stays here until the commit that stores its content is done.
final class ContentOwnership: Sendable {
  private struct State {
    var jobs: [ContentName: Int] = [:]
    /// Names that two jobs have claimed, with the later job.
    var contested: [ContentName: Int] = [:]
  }

  private let state = Mutex(State())

  /// Returns whether the job has to bring the content; if not, an earlier job does, or the job has claimed it before.
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

  /// Drops the claim of a job that has found the content in the archive.
  func drop(_ name: ContentName, of job: Int) {
    state.withLock { state in
      if state.jobs[name] == job { state.jobs[name] = nil }
    }
  }

  /// Whether another job may have brought the content, too.
  func isContested(_ name: ContentName) -> Bool { state.withLock { $0.contested[name] != nil } }

  /// Forgets committed content, which is found in the archive from now on.
  ///
  /// - Parameters:
  ///   - names: The names of the content.
  ///   - end: The first job whose result was not stored.
  func forget(_ names: some Sequence<ContentName>, before end: Int) {
    state.withLock { state in
      for name in names { state.jobs[name] = nil }
      if !state.contested.isEmpty { state.contested = state.contested.filter { $0.value >= end } }
    }
  }
}

/// The owners of groups and chunks, and those of small files.
///
/// They are separate, since a group of one small file has the same bytes as the file, and so the same name.
struct AddOwnership: Sendable {
  let contents = ContentOwnership()
  let smallFiles = ContentOwnership()
}
