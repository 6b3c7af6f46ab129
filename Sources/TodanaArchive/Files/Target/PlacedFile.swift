internal import CFileSystem
internal import Glibc
internal import Todana

/// A new file that gets its name once it is complete and durable.
///
/// Until then, its name ends in `.partial`. If it is never finished, it is removed when the last reference is released.
final class PlacedFile {
  /// Bytes that all files of one kind contain, to recognise a file left by a killed process.
  struct Signature {
    let offset: Int64
    let bytes: [UInt8]
  }

  let descriptor: CInt
  private let directory: DirectoryHandle
  private let name: [UInt8]
  private let partialName: [UInt8]
  private var isPlaced = false
  private let process = ProcessMark()

  /// Creates the file under its `.partial` name.
  ///
  /// - Throws: ``FileError/Code/exists`` if the name is in use, or if another process is writing a file of that name.
  init(_ path: [UInt8], _ signature: Signature) throws(FileError) {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { path[...$0] } ?? [UInt8(ascii: ".")]
    name = Array(path[(slash.map { $0 + 1 } ?? 0)...])
    partialName = name + Array(".partial".utf8)
    directory = try DirectoryHandle.open(parent)
    // Check the name now; otherwise, only the renaming at the end would fail.
    if try directory.status(of: name) != nil { throw FileError(.makeFile, path, .exists) }
    try Self.removeLeftover(partialName, signature, in: directory)
    descriptor = try unsafe directory.call(.makeFile, partialName) {
      unsafe tdf_create_file($0, $1.baseAddress, $1.count)
    }
    _ = tdf_try_lock(descriptor)
  }

  deinit {
    // The file is removed while it is still locked, unless it belongs to the parent of this process.
    if !isPlaced, !process.isInChild { try? directory.remove(partialName) }
    _ = tdf_close(descriptor)
  }

  func finish() throws(FileError) {
    try check(.flush, tdf_flush(descriptor))
    try check(.close, tdf_finish_writing(descriptor))
    _ = try unsafe directory.call(.place, partialName, about: name) { file, from in
      unsafe name.withUnsafeBufferPointer { to in
        unsafe tdf_rename(file, from.baseAddress, from.count, to.baseAddress, to.count, false)
      }
    }
    isPlaced = true
    try check(.flush, tdf_flush(directory.file))
  }

  /// Removes a leftover of the same kind that no process has locked; throws if the name belongs to any other file.
  private static func removeLeftover(
    _ name: [UInt8], _ signature: Signature, in directory: DirectoryHandle
  ) throws(FileError) {
    guard let status = try directory.status(of: name) else { return }
    guard status.mode & S_IFMT == S_IFREG else { throw directory.error(.makeFile, name, EEXIST) }
    let file = try unsafe directory.call(.open, name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    var found = [UInt8](repeating: 0, count: signature.bytes.count)
    let count = unsafe tdf_read_at(file, &found, found.count, signature.offset)
    let isOurs = status.byte_count == 0 || count == found.count && found == signature.bytes
    guard isOurs, tdf_try_lock(file) == 0, let now = try directory.status(of: name), now.inode == status.inode else {
      throw directory.error(.makeFile, name, EEXIST)
    }
    try directory.remove(name)
  }

  private func check(_ operation: FileError.Operation, _ result: CInt) throws(FileError) {
    guard result == 0 else { throw directory.error(operation, name, -result) }
  }
}
