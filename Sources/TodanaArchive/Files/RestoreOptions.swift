/// How files are put where there may be some already.
public struct RestoreOptions: Sendable, Hashable {
  /// How an existing file or directory is treated that has the name of an entry.
  public enum Overwriting: Sendable, Hashable {
    /// It stays as it is.
    case never
    /// It is replaced if its modification time is before the entry's; an older directory gets the entry's metadata.
    ///
    /// A file of the same length and time counts as equal. Neither its content nor its metadata is compared.
    case older
    /// It is replaced unless its content is equal, and gets the entry's metadata.
    ///
    /// The content of files of the same length and time is compared. Names that should be of one file become so again. A
    /// directory is replaced by another kind only when it is empty.
    case always
    /// Its content stays, and it gets the entry's metadata.
    ///
    /// A file of another length or time gets permissions, owner and attributes only: its time, and rights that its
    /// content would get (setuid, setgid, capabilities), stay. Hard links are made again between files of the right
    /// length and time.
    case metadata
  }

  /// Whose a restored file is.
  public enum Owners: Sendable, Hashable {
    /// The user who restores it; the report names no file for that.
    case own
    /// The user and group with the numbers of the entry.
    case numbers
    /// The user and group with the names of the entry; where the system does not know one, that with the number.
    case names
  }

  public var overwriting: Overwriting
  /// Only root can give files away; if another user restores, the report has the files that are theirs instead.
  public var owners: Owners
  /// Whether the data of each file are on the disk before it gets its name.
  ///
  /// A loss of power then leaves none that is not whole. Costs a wait for the disk for each file.
  public var flushesFiles: Bool

  public init(overwriting: Overwriting = .never, owners: Owners = .numbers, flushesFiles: Bool = false) {
    self.overwriting = overwriting
    self.owners = owners
    self.flushesFiles = flushesFiles
  }
}
