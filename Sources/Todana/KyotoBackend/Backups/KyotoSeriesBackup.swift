internal import CStorageEngine

/// A backup of a ``KyotoBackend`` into a series; see `Backups/SeriesBackup.h`.
final class KyotoSeriesBackup: BackendSeriesBackup {
  let commitNumber: CommitNumber
  private let backend: KyotoBackend
  /// Let go at the end, and with it the lock of the series.
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
  /// Copies what changed of the files since the newest backup of the series.
  ///
  /// A checkpoint comes first, so that most of it is in the files that change least. After that none runs until the
  /// backup is whole, or let go of, so the log grows by what is saved meanwhile.
  public func openBackup(into seriesPath: String) throws(BackendError) -> any BackendSeriesBackup {
    try KyotoSeriesBackup(of: self, into: seriesPath)
  }
}
