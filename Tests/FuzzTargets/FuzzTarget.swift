import CFuzzTargets

/// A decoder, and what reads hostile bytes with it (docs/fuzzing.md).
///
/// A call of ``run(_:)`` that returns has found nothing; one that finds something ends the process.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case dataBuffer = "data-buffer"
  case recordEnvelope = "record-envelope"
  case superblock = "superblock"
  case catalog = "catalog"
  case redoLog = "redo-log"
  case commitRing = "commit-ring"
  case pageSums = "page-sums"
  case hashFile = "hash-file"
  case treeFile = "tree-file"

  public func run(_ bytes: UnsafeRawBufferPointer) {
    switch self {
    case .dataBuffer: unsafe DataBufferFuzzing.run(Array(bytes))
    case .recordEnvelope: unsafe RecordEnvelopeFuzzing.run(Array(bytes))
    default:
      guard let part else { return }
      // An input of no bytes has no address.
      var empty: UInt8 = 0
      unsafe withUnsafePointer(to: &empty) { empty in
        let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress ?? empty
        unsafe tdn_fuzz_store(part, start, bytes.count)
      }
    }
  }

  /// Inputs made of valid data, from which a fuzzer finds others.
  public var seeds: [[UInt8]] {
    switch self {
    case .dataBuffer: return DataBufferFuzzing.seeds
    case .recordEnvelope: return RecordEnvelopeFuzzing.seeds
    default:
      guard let part else { return [] }
      var seeds: [[UInt8]] = []
      unsafe withUnsafeMutablePointer(to: &seeds) { seeds in
        unsafe tdn_fuzz_seeds(part, seeds) { context, bytes, byteCount in
          guard let seeds = unsafe context?.assumingMemoryBound(to: [[UInt8]].self) else { return }
          unsafe seeds.pointee.append(Array(UnsafeBufferPointer(start: bytes, count: byteCount)))
        }
      }
      return seeds
    }
  }

  private var part: tdn_fuzz_part? {
    switch self {
    case .dataBuffer, .recordEnvelope: nil
    case .superblock: TDN_FUZZ_SUPERBLOCK
    case .catalog: TDN_FUZZ_CATALOG
    case .redoLog: TDN_FUZZ_REDO_LOG
    case .commitRing: TDN_FUZZ_COMMIT_RING
    case .pageSums: TDN_FUZZ_PAGE_SUMS
    case .hashFile: TDN_FUZZ_HASH_FILE
    case .treeFile: TDN_FUZZ_TREE_FILE
    }
  }
}
