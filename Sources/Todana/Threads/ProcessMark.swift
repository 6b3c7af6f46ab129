internal import CThreads

/// The process that made an object, to recognize its copies in child processes.
///
/// `fork` copies an open store into the child, but not its threads. The files belong to the parent, so the child may
/// only read them.
package struct ProcessMark: Sendable {
  private let forkCount = tdt_fork_count()

  package init() {}

  /// Whether this process is a child of the one that made the object.
  package var isInChild: Bool {
    @inline(__always) get { tdt_fork_count() != forkCount }
  }
}
