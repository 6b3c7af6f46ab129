internal import CFileSystem
internal import Glibc

/// State that all directories of one target share.
final class TargetContext: Sendable {
  let root: DirectoryHandle
  let options: RestoreOptions
  let report: RestoreReport
  /// Whether nothing is changed: what would be done is counted only.
  let isDryRun: Bool
  /// A directory that nothing is restored into, wherever it is found: the archive's own.
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

/// An open directory at or below a target, in which files are made: never anywhere else.
///
/// Everything is made by one step from the directory itself; a name that is not one step is refused before any call. A
/// symbolic link is never followed, whether it was restored or stood there before, so nothing that an archive holds, and
/// nothing that others do in the target meanwhile, has a file made outside of it.
///
/// A file is made under a temporary name, gets all its metadata, and then its own name, in one step: under that name it
/// is complete, or not there. An error leaves nothing; a killed process leaves temporary names, which
/// ``removeLeftovers()`` removes. A directory has a marker in it until it has its metadata; a killed process leaves that
/// too, and the next one finishes the directory.
///
/// Any thread; the directory is closed with the last copy of the value.
package struct TargetDirectory: Sendable {
  let handle: DirectoryHandle
  let context: TargetContext
  let origin: Origin

  /// Where the directory comes from.
  package enum Origin: Sendable, Equatable {
    /// It was made, and nobody else has anything in it.
    case made
    /// An earlier run has made it, and did not come to give it its metadata.
    case unfinished
    /// It existed, with this modification time before anything was restored in it.
    case existing(modificationTime: FileTime)
  }

  init(_ handle: DirectoryHandle, _ context: TargetContext, _ origin: Origin) {
    self.handle = handle
    self.context = context
    self.origin = origin
  }

  /// The path, as the target's was given, for messages.
  package var path: [UInt8] { handle.path.bytes }
  package var report: RestoreReport { context.report }
  package var identity: FileIdentity { handle.identity }

  /// Opens a target, or makes it where only its last step is missing.
  ///
  /// The path is the user's own: links in it are followed.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the working directory; of any length.
  ///   - options: For all that is restored there.
  ///   - report: Receives what cannot be restored while the rest can.
  ///   - excluded: A directory that nothing is restored into.
  /// - Returns: The directory.
  /// - Throws: ``FileError/Code/vanished`` where more than the last step is missing.
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

  /// Opens a target to see what ``open(_:options:report:excluded:)`` and restoring would do, without a change.
  ///
  /// - Returns: nil if the target would be made.
  /// - Throws: What ``open(_:options:report:excluded:)`` would throw.
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
