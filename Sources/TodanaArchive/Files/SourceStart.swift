internal import CFileSystem

/// What a walk begins with: a path that a user gave.
///
/// Links in the path are followed, as every program does, but one in its last step is itself what the walk begins with.
/// A path that ends in "/", "." or ".." is that of a directory, behind whatever links. There is no limit to its length.
package struct SourceStart: Sendable {
  /// With the last step of the path as its name; with none for "/", "." and "..".
  package let entry: FileEntry
  /// Where ``entry`` is in; nil for a directory that was opened by itself.
  let parent: SourceDirectory?
  /// The directory itself, where it was opened as one.
  let directory: SourceDirectory?

  /// - Parameters:
  ///   - path: Absolute, or relative to the working directory.
  ///   - owners: What knows the names of users; several walks may share it.
  ///   - onWarning: Called for each attribute of ``entry`` that cannot be read.
  /// - Throws: ``FileError/Code/vanished`` where there is nothing, and for the empty path.
  package init(
    _ path: [UInt8], owners: OwnerNames = OwnerNames(), onWarning: (FileError) -> Void
  ) throws(FileError) {
    let (above, last) = Self.split(path)
    if path.last == UInt8(ascii: "/") || !FileName.isStep(last) {
      let opened = SourceDirectory(try Self.open(path), owners)
      entry = try opened.ownEntry(named: FileName.isStep(last) ? last : [], onWarning: onWarning)
      (parent, directory) = (nil, opened)
    } else {
      let opened = SourceDirectory(try Self.open(above), owners)
      entry = try opened.entry(named: last, onWarning: onWarning)
      (parent, directory) = (opened, nil)
    }
  }

  /// The last step of a path, without "/" behind it, and what is before it: "." for a path of one step.
  static func split(_ path: [UInt8]) -> (above: [UInt8], last: [UInt8]) {
    let slash = UInt8(ascii: "/")
    var end = path.count
    while end > 0, path[end - 1] == slash { end -= 1 }
    guard let begin = path[..<end].lastIndex(of: slash) else { return ([UInt8(ascii: ".")], Array(path[..<end])) }
    return (Array(path[...begin]), Array(path[begin..<end].dropFirst()))
  }

  /// Opens a directory by a path of any length, in parts that the system takes.
  static func open(_ path: [UInt8]) throws(FileError) -> DirectoryHandle {
    let slash = UInt8(ascii: "/")
    var rest = path[...]
    var directory: DirectoryHandle?
    while rest.count > Int(TDF_PATH_SIZE_MAX) {
      guard let end = rest.prefix(Int(TDF_PATH_SIZE_MAX)).lastIndex(of: slash) else { break }
      directory = try .open(rest[...end], from: directory)
      rest = rest[end...].drop { $0 == slash }
    }
    if rest.isEmpty, let directory { return directory }
    return try .open(rest, from: directory)
  }
}
