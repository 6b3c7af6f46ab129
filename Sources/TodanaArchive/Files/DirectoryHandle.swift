internal import CFileSystem
internal import Glibc

/// An open directory, closed when the last reference is released.
///
/// All operations are relative to the descriptor and take a single path component. They work even if the directory is
/// moved, as its path is never resolved again. Thread-safe, except that ``names()`` must not run concurrently on one
/// handle.
final class DirectoryHandle: Sendable {
  let file: CInt
  let path: EntryPath
  let identity: FileIdentity

  /// Takes ownership of a descriptor, which is closed even if this throws.
  init(_ file: CInt, _ path: EntryPath) throws(FileError) {
    var status = tdf_status()
    let result = unsafe tdf_get_status(file, &status)
    guard result == 0 else {
      _ = tdf_close(file)
      throw FileError(.readStatus, path.bytes, errorNumber: -result)
    }
    self.file = file
    self.path = path
    identity = FileIdentity(status)
  }

  deinit { _ = tdf_close(file) }

  /// Opens a directory by any path, following symbolic links.
  static func open(
    _ path: ArraySlice<UInt8>, from directory: DirectoryHandle? = nil
  ) throws(FileError) -> DirectoryHandle {
    let result = unsafe path.withUnsafeBufferPointer {
      unsafe tdf_open_start(directory?.file ?? CInt(TDF_WORKING_DIRECTORY), $0.baseAddress, $0.count)
    }
    let entryPath = EntryPath(Array(path), in: directory?.path)
    guard result >= 0 else { throw FileError(.open, entryPath.bytes, errorNumber: -result) }
    return try DirectoryHandle(result, entryPath)
  }

  // MARK: One step

  /// Calls a system function with a name in this directory and returns its result, which is not negative.
  ///
  /// An error names `subject` if given, and otherwise `name`.
  ///
  /// - Throws: ``FileError/Code/badName`` if the name is not a single path component; otherwise the function's error.
  func call<Result: FixedWidthInteger & SignedInteger>(
    _ operation: FileError.Operation, _ name: [UInt8], about subject: [UInt8]? = nil,
    _ body: (_ file: CInt, _ name: UnsafeBufferPointer<UInt8>) -> Result
  ) throws(FileError) -> Result {
    try checkName(name, operation)
    let result = unsafe name.withUnsafeBufferPointer { unsafe body(file, $0) }
    guard result >= 0 else { throw error(operation, subject ?? name, CInt(truncatingIfNeeded: 0 &- result)) }
    return result
  }

  func checkName(_ name: [UInt8], _ operation: FileError.Operation) throws(FileError) {
    guard FileName.isStep(name) else { throw FileError(operation, path.bytes(of: name), .badName) }
  }

  func error(_ operation: FileError.Operation, _ name: [UInt8], _ errorNumber: CInt) -> FileError {
    FileError(operation, path.bytes(of: name), errorNumber: errorNumber)
  }

  /// Opens a subdirectory without following a symbolic link.
  ///
  /// - Parameters:
  ///   - name: A single path component.
  ///   - identity: The identity that the directory must have; nil accepts any directory.
  ///   - finalName: The name for its path, if the directory is about to be renamed; nil uses `name`.
  /// - Returns: The directory.
  /// - Throws: ``FileError/Code/changed`` if the directory has another identity; ``FileError/Code/linkInTheWay`` if a
  ///   symbolic link has the name.
  func openDirectory(
    _ name: [UInt8], expecting identity: FileIdentity? = nil, as finalName: [UInt8]? = nil
  ) throws(FileError) -> DirectoryHandle {
    let file: CInt
    do throws(FileError) {
      file = try unsafe call(.open, name) { unsafe tdf_open_directory($0, $1.baseAddress, $1.count) }
    } catch {
      // The kernel reports ENOTDIR for a symbolic link, too.
      guard error.errorNumber == ENOTDIR, let status = try status(of: name), status.mode & S_IFMT == S_IFLNK else {
        throw error
      }
      throw FileError(.open, error.path, .linkInTheWay, errorNumber: ENOTDIR)
    }
    let directory = try DirectoryHandle(file, EntryPath(finalName ?? name, in: path))
    if let identity, directory.identity != identity { throw FileError(.open, directory.path.bytes, .changed) }
    return directory
  }

  /// Opens the parent directory; `path` names it in messages.
  ///
  /// - Throws: ``FileError/Code/changed`` if the parent does not have the given identity.
  func openParent(expecting identity: FileIdentity, _ path: EntryPath) throws(FileError) -> DirectoryHandle {
    let file = tdf_open_parent(file)
    guard file >= 0 else { throw FileError(.open, path.bytes, errorNumber: -file) }
    let directory = try DirectoryHandle(file, path)
    guard directory.identity == identity else { throw FileError(.open, path.bytes, .changed) }
    return directory
  }

  /// Opens the parent directory; the parent of the root directory is the root itself.
  func parent() throws(FileError) -> DirectoryHandle {
    let path = EntryPath(Array("..".utf8), in: path)
    let file = tdf_open_parent(file)
    guard file >= 0 else { throw FileError(.open, path.bytes, errorNumber: -file) }
    return try DirectoryHandle(file, path)
  }

  /// Returns the status of a name, without following a symbolic link; nil if the name does not exist.
  func status(of name: [UInt8]) throws(FileError) -> tdf_status? {
    try checkName(name, .readStatus)
    var status = tdf_status()
    let result = unsafe name.withUnsafeBufferPointer { name in
      unsafe tdf_get_status_at(file, name.baseAddress, name.count, &status)
    }
    if result == -ENOENT { return nil }
    guard result == 0 else { throw error(.readStatus, name, -result) }
    return status
  }

  func remove(_ name: [UInt8], isDirectory: Bool = false) throws(FileError) {
    _ = try unsafe call(.remove, name) { unsafe tdf_remove($0, $1.baseAddress, $1.count, isDirectory) }
  }

  // MARK: Listing

  /// Returns all names except "." and "..", sorted by bytes.
  func names() throws(FileError) -> NameList {
    let (names, failure) = readableNames()
    if let failure { throw failure }
    return names
  }

  /// Returns the names except "." and ".." up to the first read error, and that error.
  func readableNames() -> (names: NameList, failure: FileError?) {
    var names = NameList()
    var result = Int64(tdf_rewind(file))
    // In bytes. The kernel returns as many names as fit.
    let capacity = 64 << 10
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
      while result >= 0 {
        result = unsafe tdf_read_names(file, buffer.baseAddress, capacity)
        guard result > 0 else { break }
        var (offset, count, isRegular) = (0, 0, false)
        while let name = unsafe tdf_next_name(buffer.baseAddress, Int(result), &offset, &count, &isRegular) {
          let bytes = unsafe UnsafeBufferPointer(start: name, count: count)
          if unsafe FileName.isDots(bytes) { continue }
          if unsafe !names.append(bytes, isRegular: isRegular) { result = Int64(-EFBIG) }
          if result < 0 { break }
        }
      }
    }
    names.sort()
    return (names, result >= 0 ? nil : FileError(.list, path.bytes, errorNumber: CInt(-result)))
  }
}

extension FileIdentity {
  init(_ status: tdf_status) { self.init(device: status.device, inode: status.inode) }
}

extension FileTime {
  static func modification(_ status: tdf_status) -> FileTime {
    FileTime(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds)
  }
}
