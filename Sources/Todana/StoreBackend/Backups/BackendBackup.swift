/// A copy of a backend's state, made in steps; used by one thread at a time.
///
/// Releasing it before the copy is finished removes all files that it wrote.
public protocol BackendBackup: AnyObject {
  /// The commit whose state is copied.
  var commitNumber: CommitNumber { get }
  /// The number of bytes to copy.
  var byteCount: Int { get }
  /// The number of bytes copied so far.
  var copiedByteCount: Int { get }
  /// The number of bytes written so far, which is smaller than ``copiedByteCount`` if the target already has some of
  /// them.
  var newByteCount: Int { get }

  /// Copies a few megabytes.
  ///
  /// - Returns: False once the copy is complete, durable and in its place.
  /// - Throws: ``BackendError/Code/interrupted`` after the backend was closed or reopened.
  func next() throws(BackendError) -> Bool
}

/// A backup into a series, which writes only the changed parts of files.
public protocol BackendSeriesBackup: BackendBackup {
  /// The finished backup; nil until it is finished.
  var info: BackupInfo? { get }
}

/// A reader of the files of a backend's state, in steps; used by one thread at a time.
public protocol BackendBackupReader: AnyObject {
  /// The totals of the backup that will be read.
  var summary: BackupSummary { get }

  /// Returns the next part, of at most a few hundred kilobytes; nil after the last one.
  ///
  /// A file begins with ``BackupPart/file(name:byteCount:)``, and all its bytes follow.
  ///
  /// - Throws: ``BackendError/Code/interrupted`` after the backend was closed or reopened.
  func next() throws(BackendError) -> BackupPart?
}

extension BackendBackup {
  public var newByteCount: Int { copiedByteCount }
}
