#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a snapshot is made of, and how.
public struct AddOptions: Sendable {
  public var choosing = ChoosingOptions()
  /// nil: what the archive was made with.
  public var compression: Compression?
  public var tags: [String] = []
  /// nil: this machine's name.
  public var host: String?
  /// nil: when the walk begins.
  public var time: Date?
  /// Whether files are read that an earlier snapshot has unchanged: with the same path, length, times and inode.
  public var rescans = false
  /// Whether ``AddProgress/exclusions`` tells what is left out, and why.
  public var notesExclusions = false
  /// Nothing is stored; files are not read.
  public var isDryRun = false

  public init() {}
}
