/// The flags of a regular file or a directory that `chattr` sets and an archive stores.
///
/// The raw values are the kernel's (`FS_*_FL`). Flags that describe how a file system stores a file, such as extents,
/// are not included.
public struct FileFlags: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let secureDeletion = FileFlags(rawValue: 0x1)
  public static let undeletable = FileFlags(rawValue: 0x2)
  public static let compressed = FileFlags(rawValue: 0x4)
  public static let synchronous = FileFlags(rawValue: 0x8)
  /// The file cannot be changed, renamed, removed or given another name.
  ///
  /// Only root can set it.
  public static let immutable = FileFlags(rawValue: 0x10)
  /// The file can only grow.
  ///
  /// Only root can set it.
  public static let appendOnly = FileFlags(rawValue: 0x20)
  public static let noDump = FileFlags(rawValue: 0x40)
  public static let noAccessTime = FileFlags(rawValue: 0x80)
  public static let notCompressed = FileFlags(rawValue: 0x400)
  public static let journalData = FileFlags(rawValue: 0x4000)
  public static let noTail = FileFlags(rawValue: 0x8000)
  public static let synchronousDirectory = FileFlags(rawValue: 0x10000)
  public static let topOfTree = FileFlags(rawValue: 0x20000)
  /// Copy-on-write is off; only an empty file accepts the flag.
  public static let noCopyOnWrite = FileFlags(rawValue: 0x80_0000)

  /// All flags that an archive stores.
  public static let kept = FileFlags(names.map(\.flag))
  /// The flags that prevent changes of a file; only root can set them.
  static let locking: FileFlags = [.immutable, .appendOnly]

  /// The names of `lsattr -l` and the manual, and the letters of `chattr`.
  private static let names: [(flag: FileFlags, letter: Character, name: String)] = [
    (.secureDeletion, "s", "secure deletion"), (.undeletable, "u", "undelete"), (.compressed, "c", "compressed"),
    (.synchronous, "S", "synchronous"), (.immutable, "i", "immutable"), (.appendOnly, "a", "append only"),
    (.noDump, "d", "no dump"), (.noAccessTime, "A", "no atime"), (.notCompressed, "m", "not compressed"),
    (.journalData, "j", "journaled data"), (.noTail, "t", "no tail merging"),
    (.synchronousDirectory, "D", "synchronous directory"), (.topOfTree, "T", "top of directory tree"),
    (.noCopyOnWrite, "C", "no copy on write"),
  ]
}

extension FileFlags: CustomStringConvertible {
  /// The names of the flags, such as "immutable, no dump".
  public var description: String {
    Self.names.filter { contains($0.flag) }.map(\.name).joined(separator: ", ")
  }

  /// The flags as single-element sets.
  var each: [FileFlags] { Self.names.map(\.flag).filter { contains($0) } }

  /// The letters of the flags as `chattr` takes them, such as "id".
  public var letters: String { String(Self.names.filter { contains($0.flag) }.map(\.letter)) }
}
