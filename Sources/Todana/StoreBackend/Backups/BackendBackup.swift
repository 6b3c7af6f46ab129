/// A copy of a backend's state that is being made, in steps; used by one thread at a time.
///
/// Letting go of it before its end leaves nothing of it behind.
public protocol BackendBackup: AnyObject {
  /// The commit whose state is copied.
  var commitNumber: CommitNumber { get }
  /// The bytes to be copied.
  var byteCount: Int { get }
  /// The bytes copied so far.
  var copiedByteCount: Int { get }
  /// The bytes written so far; fewer than were looked at where some are there already.
  var newByteCount: Int { get }

  /// Copies some megabytes.
  ///
  /// - Returns: False once the copy is whole, durable and in its place.
  /// - Throws: ``BackendError/Code/interrupted`` after the backend was closed or reopened.
  func next() throws(BackendError) -> Bool
}

/// A backup into a series, of which only what changed is written.
public protocol BackendSeriesBackup: BackendBackup {
  /// What was made; nil until the backup is there.
  var info: BackupInfo? { get }
}

/// The files of a backend's state that are being read, in steps; used by one thread at a time.
public protocol BackendBackupReader: AnyObject {
  /// What is going to be read.
  var summary: BackupSummary { get }

  /// The next part, of some hundred kilobytes at most; nil behind the last one.
  ///
  /// A file begins with ``BackupPart/file(name:byteCount:)``, and all its bytes follow.
  ///
  /// - Throws: ``BackendError/Code/interrupted`` after the backend was closed or reopened.
  func next() throws(BackendError) -> BackupPart?
}

extension BackendBackup {
  public var newByteCount: Int { copiedByteCount }
}
