/// All that a directory and the file system say about one thing in it, without its data.
///
/// Names, targets of links and names of attributes are bytes: Linux gives them no encoding. An entry that was read from
/// an archive may hold anything; restoring looks at each field before it uses it.
public struct FileEntry: Sendable, Hashable {
  /// One step below the directory; empty for a directory that a walk began with and that has no name, such as "/".
  public var name: [UInt8]
  public var kind: FileKind
  /// Permissions with setuid, setgid and sticky bit: 0 to 0o7777.
  public var permissions: UInt16
  public var owner: FileOwner
  /// Of the data, or of a directory's list of names.
  public var modificationTime: FileTime
  /// Of data or metadata; no program can set it.
  public var changeTime: FileTime
  public var identity: FileIdentity
  /// How many names the file has.
  public var linkCount: UInt64
  /// Bytes of a regular file, holes included.
  ///
  /// What other kinds have here is the file system's affair.
  public var byteCount: Int64
  /// In the order in which the file system lists them.
  ///
  /// POSIX access control lists (`system.posix_acl_access`, `system.posix_acl_default`) and capabilities
  /// (`security.capability`) are among them.
  public var attributes: [ExtendedAttribute]
  /// Flags of a regular file or a directory; none for other kinds, and where the file system has none.
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

  /// Whether this is what an earlier look found, by kind, size, both times, and inode: the change time alone would do
  /// but for clocks that were set back.
  func isUnchanged(since old: FileEntry) -> Bool {
    kind == old.kind && (kind != .regular || byteCount == old.byteCount) && modificationTime == old.modificationTime
      && changeTime == old.changeTime && identity.inode == old.identity.inode
  }
}

/// What something in a directory is.
public enum FileKind: Sendable, Hashable {
  case regular
  case directory
  /// A path, of which nothing says that anything is there.
  case symbolicLink(target: [UInt8])
  case fifo
  case characterDevice(major: UInt32, minor: UInt32)
  case blockDevice(major: UInt32, minor: UInt32)
  case socket
}

/// Which file it is, whatever its name: the same for all names of one file.
public struct FileIdentity: Sendable, Hashable {
  public var device: UInt64
  public var inode: UInt64

  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// Whose a file is: numbers, which the file system has, and what the system that it was read on calls them.
public struct FileOwner: Sendable, Hashable {
  public var userID: UInt32
  public var groupID: UInt32
  /// Nil where the number belonged to nobody.
  public var userName: [UInt8]?
  public var groupName: [UInt8]?

  public init(userID: UInt32, groupID: UInt32, userName: [UInt8]? = nil, groupName: [UInt8]? = nil) {
    self.userID = userID
    self.groupID = groupID
    self.userName = userName
    self.groupName = groupName
  }
}

/// A value that a file has under a name of its own.
public struct ExtendedAttribute: Sendable, Hashable {
  /// With its namespace, such as `user.origin`: 1 to 255 bytes without NUL.
  public var name: [UInt8]
  /// At most 64 KiB.
  public var value: [UInt8]

  public init(name: [UInt8], value: [UInt8]) {
    self.name = name
    self.value = value
  }
}

/// A time as file systems have it.
public struct FileTime: Sendable, Hashable, Comparable {
  /// Since the beginning of 1970 (UTC); negative before.
  public var seconds: Int64
  /// Added to ``seconds``, also to negative ones: 0 to 999,999,999.
  public var nanoseconds: UInt32

  public init(seconds: Int64, nanoseconds: UInt32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
