/// The directories from where a walk began down to where it is.
///
/// Only so many are open at once, so a tree may be deeper than a process may have descriptors. One that was closed is
/// opened again through ".." of the one in it, or else by its steps from the first; either way only if it is the same
/// directory as before.
struct DirectoryTrail {
  private struct Level {
    let path: EntryPath
    let identity: FileIdentity
    var handle: DirectoryHandle?
  }

  /// The first directory, which stays open.
  let root: DirectoryHandle
  private let openLimit: Int
  /// Without the first.
  private var levels: [Level] = []

  /// Has at most `openLimit` directories open at once, besides the first; at least one.
  init(_ root: DirectoryHandle, openLimit: Int = 32) {
    self.root = root
    self.openLimit = max(1, openLimit)
  }

  /// How many steps below the first.
  var depth: Int { levels.count }

  /// The path of the directory where the walk is, also if that is not open.
  var currentPath: EntryPath { levels.last?.path ?? root.path }

  /// Why there is no ``current`` directory.
  private(set) var failure: FileError?

  /// The directory where the walk is; nil after ``leave()`` threw.
  var current: DirectoryHandle? { levels.isEmpty ? root : levels.last?.handle }

  mutating func enter(_ directory: DirectoryHandle) {
    levels.append(Level(path: directory.path, identity: directory.identity, handle: directory))
    let closed = levels.count - 1 - openLimit
    if closed >= 0 { levels[closed].handle = nil }
  }

  /// Goes back by one step.
  ///
  /// Throws if the directory above is not there any more, or cannot be opened. There is no ``current`` one then; the next
  /// call goes on upwards.
  mutating func leave() throws(FileError) {
    failure = nil
    guard let left = levels.popLast(), let above = levels.last, above.handle == nil else { return }
    if let handle = left.handle,
      let opened = try? handle.openParent(expecting: above.identity, above.path)
    {
      levels[levels.count - 1].handle = opened
      return
    }
    do throws(FileError) {
      levels[levels.count - 1].handle = try openFromRoot()
    } catch {
      failure = error
      throw error
    }
  }

  private func openFromRoot() throws(FileError) -> DirectoryHandle {
    var directory = root
    for level in levels { directory = try directory.openDirectory(level.path.name, expecting: level.identity) }
    return directory
  }
}
