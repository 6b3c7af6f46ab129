/// The metadata of one directory entry, without its data.
///
/// Names, targets of links and names of attributes are bytes, since Linux defines no encoding. An entry read from an
/// archive is not trusted: restoring checks each field before use.
public struct FileEntry: Sendable, Hashable {
  /// The name, a single path component; empty for the start of a walk if it has no name, such as "/".
  public var name: [UInt8]
  /// The kind of file.
  public var kind: FileKind
  /// The permissions including setuid, setgid and sticky bit: 0 to 0o7777.
  public var permissions: UInt16
  /// The user and group that own the file.
  public var owner: FileOwner
  /// The last change of the data, or of a directory's list of names.
  public var modificationTime: FileTime
  /// The last change of data or metadata; programs cannot set it.
  public var changeTime: FileTime
  /// The device and inode; all names of one file have the same identity.
  public var identity: FileIdentity
  /// The number of names (hard links) that the file has.
  public var linkCount: UInt64
  /// The length of a regular file in bytes, holes included.
  ///
  /// For other kinds, the value depends on the file system.
  public var byteCount: Int64
  /// The extended attributes, in the order in which the file system lists them.
  ///
  /// They include POSIX access control lists (`system.posix_acl_access`, `system.posix_acl_default`) and capabilities
  /// (`security.capability`).
  public var attributes: [ExtendedAttribute]
  /// The flags of a regular file or a directory; empty for other kinds, and if the file system has no flags.
  public var flags: FileFlags

  public init(
    name: [UInt8], kind: FileKind, permissions: UInt16, owner: FileOwner, modificationTime: FileTime,
    changeTime: FileTime, identity: FileIdentity, linkCount: UInt64, byteCount: Int64,
    attributes: [ExtendedAttribute] = [], flags: FileFlags = []
  ) {
    self.name = name
    self.kind = kind
    self.permissions = permissions
    self.owner = owner
    self.modificationTime = modificationTime
    self.changeTime = changeTime
    self.identity = identity
    self.linkCount = linkCount
    self.byteCount = byteCount
    self.attributes = attributes
    self.flags = flags
  }

  /// Tests whether kind, size, both times and inode equal those of an earlier entry.
  ///
  /// The change time alone would be enough if clocks were never set back.
  func isUnchanged(since old: FileEntry) -> Bool {
    kind == old.kind && (kind != .regular || byteCount == old.byteCount) && modificationTime == old.modificationTime
      && changeTime == old.changeTime && identity.inode == old.identity.inode
  }
}

/// The kind of a directory entry.
public enum FileKind: Sendable, Hashable {
  case regular
  case directory
  /// A symbolic link; its target need not exist.
  case symbolicLink(target: [UInt8])
  case fifo
  case characterDevice(major: UInt32, minor: UInt32)
  case blockDevice(major: UInt32, minor: UInt32)
  case socket
}

/// The identity of a file, independent of its name: all names of one file have the same identity.
public struct FileIdentity: Sendable, Hashable {
  public var device: UInt64
  public var inode: UInt64

  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// The owner of a file: user and group as numbers and, if known, as names.
///
/// The file system stores the numbers. The names come from the system that the file was read on.
public struct FileOwner: Sendable, Hashable {
  public var userID: UInt32
  public var groupID: UInt32
  /// The user's name; nil if the number belonged to no user.
  public var userName: [UInt8]?
  /// The group's name; nil if the number belonged to no group.
  public var groupName: [UInt8]?

  public init(userID: UInt32, groupID: UInt32, userName: [UInt8]? = nil, groupName: [UInt8]? = nil) {
    self.userID = userID
    self.groupID = groupID
    self.userName = userName
    self.groupName = groupName
  }
}

/// An extended attribute: a value that is stored with a file under a name.
public struct ExtendedAttribute: Sendable, Hashable {
  /// The name with its namespace, such as `user.origin`: 1 to 255 bytes without NUL.
  public var name: [UInt8]
  /// The value, at most 64 KiB.
  public var value: [UInt8]

  public init(name: [UInt8], value: [UInt8]) {
    self.name = name
    self.value = value
  }
}

/// A time as file systems store it.
public struct FileTime: Sendable, Hashable, Comparable {
  /// Seconds since the beginning of 1970 (UTC); negative for earlier times.
  public var seconds: Int64
  /// The fraction of a second, 0 to 999,999,999; added to ``seconds`` even if those are negative.
  public var nanoseconds: UInt32

  public init(seconds: Int64, nanoseconds: UInt32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
