internal import CFileSystem
internal import Glibc

/// The state that all directories of one target share.
final class TargetContext: Sendable {
  let root: DirectoryHandle
  let options: RestoreOptions
  let report: RestoreReport
  /// Whether nothing is changed, and the changes are only counted.
  let isDryRun: Bool
  /// A directory that is never restored into, at any path: the archive's own.
  let excluded: FileIdentity?
  let owners = OwnerNames()
  let temporaryNames = TemporaryName()

  init(
    _ root: DirectoryHandle, _ options: RestoreOptions, _ report: RestoreReport, isDryRun: Bool, excluded: FileIdentity?
  ) {
    self.root = root
    self.options = options
    self.report = report
    self.isDryRun = isDryRun
    self.excluded = excluded
  }
}

/// An open directory at or below a target; files are made in it and never outside of the target.
///
/// Each operation takes a single path component relative to the directory; other names are refused before any system
/// call. Symbolic links are never followed, whether restored or already there. Neither a malicious archive nor a
/// concurrent process can therefore cause a file to be made outside of the target.
///
/// A file is made under a temporary name, gets all its metadata, and is then renamed atomically. Under its final name
/// it is always complete. An error leaves nothing; a killed process leaves temporary names, which ``removeLeftovers()``
/// removes.
///
/// A directory contains a marker until it has its metadata. If the process is killed, the next run finds the marker and
/// finishes the directory.
///
/// Thread-safe; the directory is closed when the last copy of the value is released.
package struct TargetDirectory: Sendable {
  let handle: DirectoryHandle
  let context: TargetContext
  let origin: Origin

  /// The origin of the directory.
  package enum Origin: Sendable, Equatable {
    /// This run has made the directory, and no other process uses it.
    case made
    /// An earlier run has made the directory, but did not set its metadata.
    case unfinished
    /// The directory existed; it had this modification time before anything was restored in it.
    case existing(modificationTime: FileTime)
  }

  init(_ handle: DirectoryHandle, _ context: TargetContext, _ origin: Origin) {
    self.handle = handle
    self.context = context
    self.origin = origin
  }

  /// The path for messages; it begins with the path of the target.
  package var path: [UInt8] { handle.path.bytes }
  package var report: RestoreReport { context.report }
  package var identity: FileIdentity { handle.identity }

  /// Opens a target, or makes it if only the last component of its path is missing.
  ///
  /// Symbolic links in the path are followed, since the user has chosen it.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the working directory; of any length.
  ///   - options: The options for everything restored in the target.
  ///   - report: Receives problems that do not stop the restoring.
  ///   - excluded: A directory that is never restored into.
  /// - Returns: The target.
  /// - Throws: ``FileError/Code/vanished`` if more than the last component is missing.
  package static func open(
    _ path: [UInt8], options: RestoreOptions, report: RestoreReport, excluded: FileIdentity? = nil
  ) throws(FileError) -> TargetDirectory {
    if let target = try openExisting(path, options, report, isDryRun: false, excluded) { return target }
    let (above, last) = SourceStart.split(path)
    let parent = try SourceStart.open(above)
    _ = try unsafe parent.call(.makeDirectory, last) { unsafe tdf_make_directory($0, $1.baseAddress, $1.count) }
    let root = try parent.openDirectory(last)
    return TargetDirectory(root, TargetContext(root, options, report, isDryRun: false, excluded: excluded), .made)
  }

  /// Opens a target for a dry run, which changes nothing.
  ///
  /// - Returns: The target; nil if ``open(_:options:report:excluded:)`` would make it.
  /// - Throws: The errors of ``open(_:options:report:excluded:)``.
  package static func openForDryRun(
    _ path: [UInt8], options: RestoreOptions, report: RestoreReport, excluded: FileIdentity? = nil
  ) throws(FileError) -> TargetDirectory? {
    if let target = try openExisting(path, options, report, isDryRun: true, excluded) { return target }
    _ = try SourceStart.open(SourceStart.split(path).above)
    return nil
  }

  private static func openExisting(
    _ path: [UInt8], _ options: RestoreOptions, _ report: RestoreReport, isDryRun: Bool,
    _ excluded: FileIdentity?
  ) throws(FileError) -> TargetDirectory? {
    let root: DirectoryHandle
    do throws(FileError) {
      root = try SourceStart.open(path)
    } catch {
      guard error.code == .vanished, !path.isEmpty else { throw error }
      return nil
    }
    var status = tdf_status()
    let result = unsafe tdf_get_status(root.file, &status)
    guard result == 0 else { throw FileError(.readStatus, root.path.bytes, errorNumber: -result) }
    let context = TargetContext(root, options, report, isDryRun: isDryRun, excluded: excluded)
    return TargetDirectory(root, context, try origin(of: root, status))
  }
}
