internal import CFileSystem
internal import Glibc

/// What all directories of one target share.
final class TargetContext: Sendable {
  let root: DirectoryHandle
  let options: RestoreOptions
  let report: RestoreReport
  let owners = OwnerNames()
  let temporaryNames = TemporaryName()

  init(_ root: DirectoryHandle, _ options: RestoreOptions, _ report: RestoreReport) {
    self.root = root
    self.options = options
    self.report = report
  }
}

/// An open directory at or below a target, in which files are made: never anywhere else.
///
/// Everything is made by one step from the directory itself; a name that is not one step is refused before any call. A
/// symbolic link is never followed, whether it was restored or stood there before, so nothing that an archive holds, and
/// nothing that others do in the target meanwhile, has a file made outside of it.
///
/// A file is made under a temporary name, gets all its metadata, and then its own name, in one step: under that name it
/// is whole, or not there. An error leaves nothing; a killed process leaves temporary names, which ``removeLeftovers()``
/// removes.
///
/// Any thread; the directory is closed with the last copy of the value.
package struct TargetDirectory: Sendable {
  let handle: DirectoryHandle
  let context: TargetContext
  /// The modification time that the directory had before anything was restored in it; nil for one that was made.
  let timeBefore: FileTime?

  init(_ handle: DirectoryHandle, _ context: TargetContext, timeBefore: FileTime?) {
    self.handle = handle
    self.context = context
    self.timeBefore = timeBefore
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
  ///   - report: Gets what cannot be restored while the rest can.
  /// - Returns: The directory.
  /// - Throws: ``FileError/Code/vanished`` where more than the last step is missing.
  package static func open(
    _ path: [UInt8], options: RestoreOptions, report: RestoreReport
  ) throws(FileError) -> TargetDirectory {
    do throws(FileError) {
      let handle = try SourceStart.open(path)
      return try TargetDirectory(root: handle, options, report, isNew: false)
    } catch {
      guard error.code == .vanished, !path.isEmpty else { throw error }
      return try make(path, options, report)
    }
  }

  private static func make(
    _ path: [UInt8], _ options: RestoreOptions, _ report: RestoreReport
  ) throws(FileError) -> TargetDirectory {
    let (above, last) = SourceStart.split(path)
    let parent = try SourceStart.open(above)
    _ = try unsafe parent.call(.makeDirectory, last) { unsafe tdf_make_directory($0, $1.baseAddress, $1.count) }
    return try TargetDirectory(root: parent.openDirectory(last), options, report, isNew: true)
  }

  private init(
    root: DirectoryHandle, _ options: RestoreOptions, _ report: RestoreReport, isNew: Bool
  ) throws(FileError) {
    var status = tdf_status()
    let result = unsafe tdf_get_status(root.file, &status)
    guard result == 0 else { throw FileError(.readStatus, root.path.bytes, errorNumber: -result) }
    self.init(root, TargetContext(root, options, report), timeBefore: isNew ? nil : .modification(status))
  }
}
