/// The sizes and limits of the storage engine, whose defaults suit most programs.
///
/// ```swift
/// var tuning = StorageTuning()
/// tuning.limitsMemory = true
/// let store = try Store(
///   .directory("Music.todana"), classes: [Song.self], configuration: StoreConfiguration(tuning: tuning))
/// ```
public struct StorageTuning: Sendable, Hashable {
  /// The number of bytes of the log at which a checkpoint starts in the background.
  ///
  /// At four times this number, or at twice this number with ``limitsMemory``, saves wait for the checkpoint.
  public var logLimitByteCount = 64 << 20
  /// The number of bytes of pages, changed since the last checkpoint, at which a checkpoint starts in the background.
  ///
  /// At four times this number, or at twice this number with ``limitsMemory``, saves wait for the checkpoint.
  public var privateLimitByteCount = 128 << 20
  /// Whether the backend limits the resident memory of large files that it reads.
  ///
  /// Mapped pages belong to the system's cache, so other programs can still get their memory. They count as memory of
  /// the process, however: up to 2 MiB for each record that is read. The option is for programs that must keep within
  /// a limit. With it, reading files of 16 MiB and more takes longer.
  public var limitsMemory = false
  /// The maximum number of bytes of committed pages that one batch may change.
  public var commitLimitByteCount = 1 << 30
  /// The maximum number of bytes of old values that all open snapshots together keep in memory; further values go to
  /// files.
  public var snapshotLimitByteCount = 64 << 20
  /// The number of bytes of whole new pages at which a commit writes these pages directly to their files.
  public var directThresholdByteCount = 1 << 20
  /// The number of bytes on disk that a compaction on demand may take besides the store's files, its log included.
  ///
  /// A twentieth of the class's file is permitted if that is more. If the copy of a file would take more than this,
  /// the file is compacted in place. Its records move to its start, and its end is cut off. That takes longer than a
  /// copy and packs no rows together, but works on a nearly full disk.
  public var compactionRoomByteCount = 64 << 20
  /// The maximum number of data files that are open at the same time.
  public var descriptorLimit = 256
  /// The number of bytes that the device writes entirely or not at all.
  public var sectorSize = SectorSize.ofDevice
  /// Whether no sector size is trusted, so that whole pages go to the log.
  public var isStrict = false
  /// The approximate number of records and other data that are encrypted with one key before the store makes a new
  /// one.
  ///
  /// At most 2^31, the default, so that no two have the same nonce.
  public var sealLimit = 1 << 31

  public init() {}

  /// The unit that a device writes entirely or not at all, in bytes.
  public enum SectorSize: Int32, Sendable {
    case ofDevice = 0
    case bytes512 = 512
    case bytes4096 = 4096
  }
}

extension KyotoBackend {
  public typealias SectorSize = StorageTuning.SectorSize
}
