import Foundation
import Glibc

/// A new directory for the databases of one run, removed at its end.
package struct ScratchDirectory {
  package let path: String

  /// Makes the directory in `base`, which is made as well if it is missing.
  package init(inside base: String) throws(SpeedTestError) {
    do {
      try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
      path = base + "/speed-test-" + UUID().uuidString.prefix(8).lowercased()
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw .wrongUse("cannot create a directory for the databases in \(base): \(error.localizedDescription)")
    }
  }

  /// Makes an empty directory in this one.
  package func makeDirectory(_ name: String) throws(SpeedTestError) -> String {
    let directory = path + "/" + name
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw .failed("cannot create \(directory): \(error.localizedDescription)")
    }
    return directory
  }

  package func remove() { try? FileManager.default.removeItem(atPath: path) }

  package func remove(_ directory: String) { try? FileManager.default.removeItem(atPath: directory) }

  /// Whether the directory is in memory.
  ///
  /// In memory a flush costs nothing, so measurements mean little.
  package var isInMemory: Bool {
    guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else { return false }
    let kind = fileSystemKind(of: URL(fileURLWithPath: path).resolvingSymlinksInPath().path, mounts: mounts)
    return kind == "tmpfs" || kind == "ramfs"
  }

  /// Flushes all files of a copy or a preparation, so that they do not slow the flushes to be measured.
  package func flush(_ directory: String) {
    for path in files(in: directory) + [directory] {
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      fsync(descriptor)
      close(descriptor)
    }
  }
}

/// Returns the kind of the file system that contains a path, according to the lines of `/proc/self/mounts`.
///
/// The longest mount point that contains the path decides.
package func fileSystemKind(of path: String, mounts: String) -> String? {
  var found: (mountPoint: Substring, kind: Substring)?
  for line in mounts.split(separator: "\n") {
    let fields = line.split(separator: " ")
    guard fields.count >= 3 else { continue }
    let mountPoint = fields[1]
    let isAbove = mountPoint == "/" || path == mountPoint || path.hasPrefix(mountPoint + "/")
    if isAbove, mountPoint.count >= found?.mountPoint.count ?? 0 { found = (mountPoint, fields[2]) }
  }
  return found.map { String($0.kind) }
}

/// The disk space that the files of a directory take.
package struct DiskUsage: Equatable {
  package var allocatedBytes = 0
  package var apparentBytes = 0

  package init(of directory: String) {
    for path in files(in: directory) {
      var information = stat()
      guard unsafe lstat(path, &information) == 0 else { continue }
      allocatedBytes += Int(information.st_blocks) * 512
      apparentBytes += Int(information.st_size)
    }
  }
}

/// Returns the paths of all regular files in a directory and its subdirectories.
func files(in directory: String) -> [String] {
  guard let enumerator = FileManager.default.enumerator(atPath: directory) else { return [] }
  return enumerator.compactMap { entry in
    guard let name = entry as? String else { return nil }
    let path = directory + "/" + name
    var information = stat()
    guard unsafe lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
    return path
  }
}

/// Reads all files of a directory into the page cache, or drops them from it.
package func setPageCache(of directory: String, filled: Bool) {
  for path in files(in: directory) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { continue }
    defer { close(descriptor) }
    if filled {
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 18) { buffer in
        while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
      }
    } else {
      // Only clean pages can be dropped.
      fsync(descriptor)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
  }
}
