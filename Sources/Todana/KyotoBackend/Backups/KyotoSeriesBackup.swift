internal import CStorageEngine

/// A backup of a ``KyotoBackend`` into a series; see `Backups/SeriesBackup.h`.
final class KyotoSeriesBackup: BackendSeriesBackup {
  let commitNumber: CommitNumber
  private let backend: KyotoBackend
  /// The task, which locks the series; released at the end of the backup.
  private var task: SeriesTask?
  private var progress: SeriesTask.Progress
  private(set) var info: BackupInfo?

  var byteCount: Int { progress.byteCount }
  var copiedByteCount: Int { progress.doneByteCount }
  var newByteCount: Int { progress.newByteCount }

  init(of backend: KyotoBackend, into path: String) throws(BackendError) {
    try SeriesTask.check(path)
    var number: CommitNumber = 0
    var failure: BackendError?
    var opened: SeriesTask?
    try unsafe backend.cabinet.call { cabinet, _ in
      do throws(BackendError) {
        opened = try unsafe SeriesTask { unsafe tdn_series_backup_open(cabinet, path, &number, $0) }
      } catch {
        failure = error
      }
      return true
    }
    if let failure { throw failure }
    self.backend = backend
    task = opened
    progress = SeriesTask.Progress()
    commitNumber = number
  }

  func next() throws(BackendError) -> Bool {
    guard let task else { return false }
    try unsafe backend.cabinet.call(whenClosed: .interrupted) { _, error in
      var damages: [BackupVerification.Damage] = []
      return unsafe task.next(&damages, error)
    }
    progress = task.progress
    if progress.isDone {
      info = task.info
      self.task = nil
    }
    return !progress.isDone
  }
}

extension KyotoBackend {
  /// Begins to copy the parts of the files that changed since the newest backup of the series.
  ///
  /// A checkpoint comes first, so that most commits are copied as part of the main files, which change least.
  /// Afterwards no checkpoint runs until the backup is finished or released, so the log grows with each save.
  public func openBackup(into seriesPath: String) throws(BackendError) -> any BackendSeriesBackup {
    try KyotoSeriesBackup(of: self, into: seriesPath)
  }
}
