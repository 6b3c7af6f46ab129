import CFileSystem
import CPrivateMount
import Glibc

/// System calls by path, for tests.
///
/// Each follows links if the system's own function does.
enum System {
  struct Failure: Error, CustomStringConvertible { var description: String }

  private static func check(_ result: some BinaryInteger, _ what: String) throws {
    guard result < 0 else { return }
    throw Failure(description: "\(what): \(unsafe String(cString: strerror(errno)))")
  }

  static func makeDirectory(_ path: String, _ permissions: mode_t = 0o755) throws {
    try check(unsafe mkdir(path, permissions), "mkdir \(path)")
  }

  static func setPermissions(_ path: String, _ permissions: mode_t) throws {
    try check(unsafe chmod(path, permissions), "chmod \(path)")
  }

  /// Sets the owner, without following a link.
  static func setOwner(_ path: String, _ userID: uid_t, _ groupID: gid_t) throws {
    try check(unsafe lchown(path, userID, groupID), "lchown \(path)")
  }

  /// Sets the modification time, without following a link.
  static func setTime(_ path: String, _ seconds: Int, _ nanoseconds: Int = 0) throws {
    let times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: nanoseconds)]
    try check(unsafe utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), "utimensat \(path)")
  }

  static func makeLink(_ path: String, to target: String) throws { try check(unsafe symlink(target, path), path) }

  static func makeHardLink(_ path: String, to other: String) throws {
    try check(unsafe linkat(AT_FDCWD, other, AT_FDCWD, path, 0), path)
  }

  static func makeNode(_ path: String, _ mode: mode_t, _ device: dev_t = 0) throws {
    try check(unsafe mknod(path, mode, device), "mknod \(path)")
  }

  static func rename(_ from: String, to: String) throws { try check(unsafe Glibc.rename(from, to), "rename \(from)") }

  static func makeFile(_ path: [UInt8]) throws {
    let file = unsafe path.withCString { unsafe open($0, O_CREAT | O_WRONLY, 0o600) }
    try check(file, "open")
    close(file)
  }

  static func makeSparseFile(_ path: String, byteCount: Int, data: [Int: [UInt8]]) throws {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL, 0o644)
    try check(file, path)
    defer { close(file) }
    try check(ftruncate(file, byteCount), path)
    for (offset, bytes) in data { try check(unsafe pwrite(file, bytes, bytes.count, offset), path) }
  }

  /// Sets an attribute of an entry of a directory, without following a link.
  static func setAttribute(_ attribute: String, _ value: [UInt8], _ directory: String, _ name: String) throws {
    let (name, attribute) = (Array(name.utf8), Array(attribute.utf8))
    let parent = unsafe open(directory, O_RDONLY | O_DIRECTORY)
    defer { close(parent) }
    let file = unsafe name.withUnsafeBufferPointer { unsafe tdf_open_handle(parent, $0.baseAddress, $0.count) }
    defer { close(file) }
    let result = unsafe attribute.withUnsafeBufferPointer { attribute in
      unsafe value.withUnsafeBufferPointer { value in
        unsafe tdf_set_attribute(file, attribute.baseAddress, attribute.count, value.baseAddress, value.count)
      }
    }
    guard result == 0 else { throw Failure(description: "attribute of \(name): \(result)") }
  }

  /// Makes nested directories, deeper than the longest path, with a file in the last.
  static func makeDeepDirectories(_ path: String, count: Int, name: String) throws {
    try makeDirectory(path)
    var directory = unsafe open(path, O_RDONLY | O_DIRECTORY)
    for _ in 0..<count {
      try check(unsafe mkdirat(directory, name, 0o750), name)
      let next = unsafe openat(directory, name, O_RDONLY | O_DIRECTORY)
      try check(next, name)
      close(directory)
      directory = next
    }
    let file = unsafe openat(directory, "bottom", O_CREAT | O_WRONLY, 0o600)
    try check(file, "bottom")
    close(file)
    close(directory)
  }

  /// Mounts a file system in memory that only the calling thread sees.
  ///
  /// It is unmounted when the thread ends.
  static func mountPrivately(_ path: String, options: String) throws {
    let result = unsafe tdt_mount_privately(path, options)
    guard result == 0 else { throw Failure(description: "mount \(path): \(result)") }
  }

  static func makeReadOnly(_ path: String) throws {
    let result = unsafe tdt_make_read_only(path)
    guard result == 0 else { throw Failure(description: "mount \(path): \(result)") }
  }

  static func limitOpenFiles(_ count: UInt) throws {
    var limit = rlimit(rlim_cur: count, rlim_max: count)
    try check(unsafe setrlimit(__rlimit_resource_t(7), &limit), "setrlimit")
  }

  /// Drops root's rights: continues as a user without any privileges.
  static func becomeNobody() throws {
    try check(setgroups(0, nil), "setgroups")
    try check(setgid(65534), "setgid")
    try check(setuid(65534), "setuid")
  }
}

extension [UInt8] {
  /// Calls a closure with the bytes and a terminating NUL.
  fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe (map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { preconditionFailure("an array with NUL in it is not empty") }
      return unsafe body(start)
    }
  }
}
