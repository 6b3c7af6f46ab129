internal import CStorageEngine

extension KyotoBackend {
  /// What a backend has done since it was opened, and what it holds now.
  public struct Statistics: Sendable {
    public var commitCount: Int
    /// Bytes written to the logs.
    public var logByteCount: Int
    /// Bytes that large commits wrote straight to the main files.
    public var directByteCount: Int
    /// Flushes of the log; fewer than commits where one flush served several.
    public var flushCount: Int
    public var checkpointCount: Int
    /// Bytes written back to the main files.
    public var checkpointByteCount: Int
    /// Bytes of pages changed since the last checkpoint, now.
    public var privateByteCount: Int
    /// Bytes in the logs, now.
    public var liveLogByteCount: Int
    /// Data files that were rebuilt with more buckets.
    public var growthCount: Int
    /// Data files that were rebuilt to take less space.
    public var compactionCount: Int
    /// Data files open now.
    public var openFileCount: Int
  }

  /// What the backend has done, and holds (`tdn_get_statistics`).
  public func statistics() throws(BackendError) -> Statistics {
    var statistics = tdn_statistics()
    try unsafe cabinet.call { unsafe tdn_get_statistics($0, &statistics, $1) }
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
