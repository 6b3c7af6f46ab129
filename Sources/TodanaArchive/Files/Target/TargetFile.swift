internal import CFileSystem
internal import Glibc
internal import Synchronization
internal import Todana

extension TargetDirectory {
  /// Begins a regular file under a temporary name.
  ///
  /// ``TargetFile/finish(locks:)`` sets its metadata and renames it to the entry's name.
  package func makeFile(_ entry: FileEntry) throws(FileError) -> TargetFile {
    guard entry.kind == .regular else {
      throw FileError(.makeFile, handle.path.bytes(of: entry.name), .badValue, detail: "not a regular file")
    }
    try handle.checkName(entry.name, .makeFile)
    let temporary = context.temporaryNames.next()
    let file: CInt
    do throws(FileError) {
      file = try unsafe handle.call(.makeFile, temporary, about: entry.name) {
        unsafe tdf_create_file($0, $1.baseAddress, $1.count)
      }
    } catch {
      throw explained(error, entry.name)
    }
    // Only empty files accept this flag. ``MetadataWriter/writeFlags(_:)`` checks later if it was set.
    if entry.flags.contains(.noCopyOnWrite) { MetadataWriter.setNoCopyOnWrite(file) }
    // The lock shows other runs that the file is not a leftover. On a file system without locks, another run may
    // mistake it for one.
    _ = tdf_try_lock(file)
    return TargetFile(file, temporary, entry, in: self)
  }
}

/// A regular file that is being restored; it has its name only after ``finish(locks:)``.
///
/// An unfinished file is removed when the last reference is released. Data may be written in any order and by several
/// threads; ranges without data become holes, which read as zeros.
package final class TargetFile: Sendable {
  private let file: CInt
  private let temporary: [UInt8]
  private let entry: FileEntry
  private let directory: TargetDirectory
  /// Whether the file has its final name.
  private let isPlaced = Atomic<Bool>(false)
  private let process = ProcessMark()

  init(_ file: CInt, _ temporary: [UInt8], _ entry: FileEntry, in directory: TargetDirectory) {
    self.file = file
    self.temporary = temporary
    self.entry = entry
    self.directory = directory
  }

  deinit {
    _ = tdf_close(file)
    // The parent of this process may still fill the file.
    if !isPlaced.load(ordering: .relaxed), !process.isInChild { try? directory.handle.remove(temporary) }
  }

  /// Writes bytes at an offset.
  ///
  /// - Throws: ``FileError/Code/noSpace`` if the disk is full.
  package func write(_ bytes: borrowing Span<UInt8>, at offset: Int64) throws(FileError) {
    try unsafe bytes.withUnsafeBytes { bytes throws(FileError) in try unsafe write(bytes, at: offset) }
  }

  /// Writes raw memory at an offset; see ``write(_:at:)-(Span<UInt8>,_)``.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
    let result = unsafe tdf_write_at(file, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, offset)
    guard result == 0 else { throw error(.writeData, result) }
  }

  /// Gives the file its size, its metadata and its name; must be called once, after all writes.
  ///
  /// - Parameter locks: Whether the file becomes immutable or append-only if the entry is; it can get no other name
  ///   then.
  /// - Returns: The identity of the file, for its other names.
  /// - Throws: ``FileError/Code/exists`` if an existing file must stay; the new file is then removed.
  @discardableResult
  package func finish(locks: Bool = true) throws(FileError) -> FileIdentity {
    try check(.setSize, tdf_set_size(file, entry.byteCount))
    let path = EntryPath(entry.name, in: directory.handle.path)
    let writer = MetadataWriter(file: file, path: path, context: directory.context)
    writer.write(entry)
    if directory.context.options.flushesFiles { try check(.flush, tdf_flush(file)) }
    try check(.close, tdf_finish_writing(file))
    var status = tdf_status()
    try check(.readStatus, unsafe tdf_get_status(file, &status))
    do throws(FileError) {
      try directory.place(temporary, as: entry)
    } catch {
      throw directory.explained(error, entry.name)
    }
    isPlaced.store(true, ordering: .relaxed)
    if !entry.flags.isEmpty { writer.writeFlags(locks ? entry : entry.withoutLockingFlags) }
    return FileIdentity(status)
  }

  private func check(_ operation: FileError.Operation, _ result: CInt) throws(FileError) {
    guard result == 0 else { throw error(operation, result) }
  }

  private func error(_ operation: FileError.Operation, _ result: CInt) -> FileError {
    directory.handle.error(operation, entry.name, -result)
  }
}
