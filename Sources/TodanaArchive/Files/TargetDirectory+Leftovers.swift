internal import CFileSystem
internal import Glibc

extension TargetDirectory {
  /// Removes files and directories that earlier runs left under temporary names in this directory; those that a living
  /// process writes stay.
  ///
  /// - Returns: How many there were. What cannot be removed goes to the report.
  /// - Complexity: O(*n*) in the names of the directory.
  @discardableResult
  package func removeLeftovers() throws(FileError) -> Int {
    var count = 0
    for name in try handle.names() where context.temporaryNames.isLeftover(name) {
      do throws(FileError) {
        guard let status = try handle.status(of: name) else { continue }
        if status.mode & S_IFMT == S_IFDIR {
          if removeTemporaryDirectory(name) { count += 1 }
          continue
        }
        if try isInUse(name, status) { continue }
        try handle.remove(name)
        count += 1
      } catch {
        context.report.add(error)
      }
    }
    return count
  }

  private func isInUse(_ name: [UInt8], _ status: tdf_status) throws(FileError) -> Bool {
    guard status.mode & S_IFMT == S_IFREG else { return false }
    let file = try unsafe handle.call(.open, name) { unsafe tdf_open_file($0, $1.baseAddress, $1.count) }
    defer { _ = tdf_close(file) }
    return tdf_try_lock(file) == -EWOULDBLOCK
  }
}
