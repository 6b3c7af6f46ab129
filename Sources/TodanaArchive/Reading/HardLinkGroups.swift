/// The files with several names that an extraction has met, and their names in the target.
struct HardLinkGroups {
  /// The first name of a file of the archive.
  struct First {
    /// From the target on.
    let steps: [[UInt8]]
    /// The file in the target; nil if any may be there.
    let identity: FileIdentity?
    let entry: FileEntry
    /// Whether this run has made the file.
    let isMade: Bool
  }

  /// By the identity that the archive has.
  private var firsts: [FileIdentity: First] = [:]
  /// Existing files whose metadata is different, by their identities in the target.
  private var waiting: [FileIdentity: (path: [UInt8], foundCount: UInt64)] = [:]

  func first(of file: FileEntry) -> First? { firsts[file.identity] }

  mutating func note(_ file: FileEntry, _ steps: [[UInt8]], _ identity: FileIdentity?, isMade: Bool) {
    guard firsts[file.identity] == nil else { return }
    firsts[file.identity] = First(steps: steps, identity: identity, entry: file, isMade: isMade)
  }

  /// Counts one more name of an existing file that waits for its metadata; false if it does not wait.
  mutating func find(_ identity: FileIdentity) -> Bool {
    guard waiting[identity] != nil else { return false }
    waiting[identity]?.foundCount += 1
    return true
  }

  /// Has an existing file wait until all its names were found.
  mutating func wait(_ identity: FileIdentity, path: [UInt8]) { waiting[identity] = (path, 1) }

  /// Returns whether as many names were found as the file has; it does not wait then any more.
  mutating func hasFoundAll(_ identity: FileIdentity, linkCount: UInt64) -> Bool {
    guard let found = waiting[identity], found.foundCount >= linkCount else { return false }
    waiting[identity] = nil
    return true
  }

  /// The paths of existing files that have more names than were found.
  var unfinished: [[UInt8]] { waiting.values.map(\.path).sorted { $0.lexicographicallyPrecedes($1) } }

  /// Files that were made, and become immutable or append-only when all names were made.
  var locked: [First] { firsts.values.filter { $0.isMade && !$0.entry.flags.isDisjoint(with: .locking) } }
}
