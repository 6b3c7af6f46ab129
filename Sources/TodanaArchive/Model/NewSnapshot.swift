#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// All that is noted about a snapshot that is going to be stored, but its content.
struct NewSnapshot {
  var time: Date
  var host: String
  /// As they were given.
  var paths: [[UInt8]]
  /// The directory that the paths are relative to; empty if they are only names, as of a tar stream.
  var workingDirectory: [UInt8] = []
  var label: String?
  var tags: [String] = []
  /// When reading began, by the clock of the machine.
  var readingStart: FileTime
  /// The directory whose content is at the top, if there is one.
  var top: FileEntry?
  var original: SnapshotID?

  /// For a snapshot of paths, or of something that has a name only.
  init(_ options: AddOptions, host: String, paths: [[UInt8]], workingDirectory: [UInt8] = []) {
    let now = Date()
    time = options.time ?? now
    self.host = host
    self.paths = paths
    self.workingDirectory = workingDirectory
    label = options.label
    tags = options.tags
    readingStart = FileTime(now)
  }

  /// For a changed form, or a copy, of a snapshot.
  init(of snapshot: Snapshot) {
    time = snapshot.time
    host = snapshot.host
    paths = snapshot.paths
    workingDirectory = snapshot.workingDirectory
    label = snapshot.label
    tags = snapshot.tags
    readingStart = snapshot.readingStart
    top = snapshot.top
    original = snapshot.original ?? snapshot.id
  }
}

extension FileTime {
  init(_ date: Date) {
    // No date of a program is near the ends of what 64 bits hold.
    let seconds = min(max(date.timeIntervalSince1970, -1e15), 1e15)
    let whole = seconds.rounded(.down)
    self.init(seconds: Int64(whole), nanoseconds: UInt32(min((seconds - whole) * 1e9, 999_999_999)))
  }
}
