internal import CStorageEngine

extension KyotoBackend {
  /// The counters of a backend since it was opened, and its current sizes.
  public struct Statistics: Sendable {
    /// The number of commits since opening.
    public var commitCount: Int
    /// The number of bytes written to the logs.
    public var logByteCount: Int
    /// The number of bytes that large commits wrote straight to the main files.
    public var directByteCount: Int
    /// The number of flushes of the log; lower than the number of commits if one flush served several.
    public var flushCount: Int
    /// The number of checkpoints since opening.
    public var checkpointCount: Int
    /// The number of bytes written back to the main files.
    public var checkpointByteCount: Int
    /// The current number of bytes of pages changed since the last checkpoint.
    public var privateByteCount: Int
    /// The current number of bytes in the logs.
    public var liveLogByteCount: Int
    /// The number of data files that were rebuilt with more buckets.
    public var growthCount: Int
    /// The number of data files that were compacted.
    public var compactionCount: Int
    /// The current number of open data files.
    public var openFileCount: Int
  }

  /// Returns the backend's counters and sizes (`tdn_get_statistics`).
  public func statistics() throws(BackendError) -> Statistics {
    var statistics = tdn_statistics()
    try unsafe cabinet.read { unsafe tdn_get_statistics($0, &statistics, $1) }
    return Statistics(statistics)
  }
}

extension KyotoBackend.Statistics {
  fileprivate init(_ statistics: tdn_statistics) {
    commitCount = Int(clamping: statistics.commits)
    logByteCount = Int(clamping: statistics.log_bytes)
    directByteCount = Int(clamping: statistics.direct_bytes)
    flushCount = Int(clamping: statistics.flushes)
    checkpointCount = Int(clamping: statistics.checkpoints)
    checkpointByteCount = Int(clamping: statistics.checkpoint_bytes)
    privateByteCount = Int(clamping: statistics.private_bytes)
    liveLogByteCount = Int(clamping: statistics.live_log_bytes)
    growthCount = Int(clamping: statistics.growths)
    compactionCount = Int(clamping: statistics.compactions)
    openFileCount = Int(statistics.open_files)
  }
}
