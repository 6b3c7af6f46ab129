#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a snapshot is made of, and how.
public struct AddOptions: Sendable {
  public var filter = FilterOptions()
  /// nil: what the archive was made with.
  public var compression: Compression?
  public var tags: [String] = []
  /// A name for the series of snapshots, which are kept and compared by it instead of by their paths.
  public var label: String?
  /// nil: this machine's name.
  public var host: String?
  /// nil: when the walk begins.
  public var time: Date?
  /// Whether files are read that an earlier snapshot has unchanged: with the same path, length, times and inode.
  public var rescans = false
  /// Whether a file with another inode than before may be unchanged: for file systems that give new ones each time they
  /// are mounted, such as some of FUSE and of networks.
  public var ignoresInode = false
  /// Whether a file with another time of change (ctime) than before may be unchanged.
  public var ignoresChangeTime = false
  /// Whether ``AddProgress/exclusions`` tells what is left out, and why.
  public var notesExclusions = false
  /// Nothing is stored; files are not read.
  public var isDryRun = false

  public init() {}
}
