internal import CFileSystem

/// How files are put where there may be some already.
public struct RestoreOptions: Sendable, Hashable {
  /// What happens to a file that is there under the name of one that is restored.
  public enum Overwriting: Sendable, Hashable {
    /// It stays as it is.
    case never
    /// It is replaced if its modification time is before that of the one that is restored.
    case older
    /// It is replaced. A directory is replaced by another kind only when it is empty.
    case always
  }

  /// Whose a restored file is.
  public enum Owners: Sendable, Hashable {
    /// Whoever restores it.
    case own
    /// Those with the numbers of the entry.
    case numbers
    /// Those with the names of the entry; where the system does not know one, that with the number.
    case names
  }

  public var overwriting: Overwriting
  public var owners: Owners
  /// Whether the data of each file are on the disk before it gets its name.
  ///
  /// A loss of power then leaves none that is not whole. Costs a wait for the disk for each file.
  public var flushesFiles: Bool

  /// Without `owners`, they are ``Owners/numbers`` if root restores, else ``Owners/own``: nobody else may give files away.
  public init(overwriting: Overwriting = .never, owners: Owners? = nil, flushesFiles: Bool = false) {
    self.overwriting = overwriting
    self.owners = owners ?? (tdf_is_root() ? .numbers : .own)
    self.flushesFiles = flushesFiles
  }
}
