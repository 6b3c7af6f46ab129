internal import CFileSystem
internal import Glibc

/// An open directory, which is closed with the last reference.
///
/// What is done here is done by steps from the directory itself, wherever it has been moved to: no path is gone twice.
/// Any thread, but ``names()`` by one at a time.
final class DirectoryHandle: Sendable {
  let file: CInt
  let path: EntryPath
  let identity: FileIdentity

  /// Takes a descriptor over, also where this throws.
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

  /// Opens a directory by any path, links followed.
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

  /// Makes a call that takes a name; its result, which is not negative.
  ///
  /// An error names `subject`, where there is one.
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

  /// Opens a directory in this one.
  ///
  /// - Parameters:
  ///   - name: One step.
  ///   - identity: The directory that it has to be; nil: any.
  ///   - finalName: The name in its path, if it is going to get another one.
  /// - Returns: The directory.
  /// - Throws: ``FileError/Code/changed`` if it is another directory.
  func openDirectory(
    _ name: [UInt8], expecting identity: FileIdentity? = nil, as finalName: [UInt8]? = nil
  ) throws(FileError) -> DirectoryHandle {
    let file: CInt
    do throws(FileError) {
      file = try unsafe call(.open, name) { unsafe tdf_open_directory($0, $1.baseAddress, $1.count) }
    } catch {
      // The kernel says of a link, too, that it is no directory.
      guard error.errorNumber == ENOTDIR, let status = try status(of: name), status.mode & S_IFMT == S_IFLNK else {
        throw error
      }
      throw FileError(.open, error.path, .linkInTheWay, errorNumber: ENOTDIR)
    }
    let directory = try DirectoryHandle(file, EntryPath(finalName ?? name, in: path))
    if let identity, directory.identity != identity { throw FileError(.open, directory.path.bytes, .changed) }
    return directory
  }

  /// Opens the directory that this one is in now, if it is the one with an identity and a path.
  func openParent(expecting identity: FileIdentity, _ path: EntryPath) throws(FileError) -> DirectoryHandle {
    let file = tdf_open_parent(file)
    guard file >= 0 else { throw FileError(.open, path.bytes, errorNumber: -file) }
    let directory = try DirectoryHandle(file, path)
    guard directory.identity == identity else { throw FileError(.open, path.bytes, .changed) }
    return directory
  }

  /// Opens the directory that this one is in now; that of the root is the root.
  func parent() throws(FileError) -> DirectoryHandle {
    let path = EntryPath(Array("..".utf8), in: path)
    let file = tdf_open_parent(file)
    guard file >= 0 else { throw FileError(.open, path.bytes, errorNumber: -file) }
    return try DirectoryHandle(file, path)
  }

  /// What there is of a name; nil where there is nothing.
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

  /// All names but "." and "..".
  func names() throws(FileError) -> NameList {
    let (names, failure) = readableNames()
    if let failure { throw failure }
    return names
  }

  /// The names but "." and ".." up to the first that cannot be read, and why it cannot.
  func readableNames() -> (names: NameList, failure: FileError?) {
    var names = NameList()
    var result = Int64(tdf_rewind(file))
    // In bytes; the kernel fills it with as many names as fit.
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
