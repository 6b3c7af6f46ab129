import CFuzzTargets

/// A decoder that is tested with hostile bytes (docs/fuzzing.md).
///
/// A call of ``run(_:)`` that returns has found nothing; a finding ends the process.
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
  case states = "states"
  case keyFile = "key-file"
  case sealedEnvelope = "sealed-envelope"
  case queryText = "query-text"
  case textSearch = "text-search"
  case textSegment = "text-segment"
  case textIndex = "text-index"
  case document = "document"

  public func run(_ bytes: UnsafeRawBufferPointer) {
    switch self {
    case .dataBuffer: unsafe DataBufferFuzzing.run(Array(bytes))
    case .recordEnvelope: unsafe RecordEnvelopeFuzzing.run(Array(bytes))
    case .queryText: unsafe QueryTextFuzzing.run(Array(bytes))
    case .textSearch: unsafe TextSearchFuzzing.run(Array(bytes))
    case .textIndex: unsafe TextIndexFuzzing.run(Array(bytes))
    case .document: unsafe DocumentFuzzing.run(Array(bytes))
    default:
      // An empty input has no address.
      var empty: UInt8 = 0
      unsafe withUnsafePointer(to: &empty) { empty in
        let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress ?? empty
        switch self {
        case .keyFile: unsafe tdn_fuzz_key_file(start, bytes.count)
        case .sealedEnvelope: unsafe tdn_fuzz_envelope(start, bytes.count)
        case .textSegment: unsafe tdn_fuzz_text_segment(start, bytes.count)
        default: if let part { unsafe tdn_fuzz_store(part, start, bytes.count) }
        }
      }
    }
  }

  /// Inputs made of valid data, from which a fuzzer derives others.
  public var seeds: [[UInt8]] {
    switch self {
    case .dataBuffer: return DataBufferFuzzing.seeds
    case .recordEnvelope: return RecordEnvelopeFuzzing.seeds
    case .queryText: return QueryTextFuzzing.seeds
    case .textSearch: return TextSearchFuzzing.seeds
    case .textIndex: return TextIndexFuzzing.seeds
    case .document: return DocumentFuzzing.seeds
    // Nothing valid can be made without the key.
    case .sealedEnvelope: return (0..<8).map { [UInt8](repeating: 3, count: $0 * $0 * 7) }
    case .keyFile: return unsafe Self.gathered { unsafe tdn_fuzz_key_file_seeds($0, $1) }
    case .textSegment: return unsafe Self.gathered { unsafe tdn_fuzz_text_segment_seeds($0, $1) }
    default:
      guard let part else { return [] }
      return unsafe Self.gathered { unsafe tdn_fuzz_seeds(part, $0, $1) }
    }
  }

  private typealias Visit = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>, Int) -> Void

  private static func gathered(_ visitAll: (UnsafeMutableRawPointer, Visit) -> Void) -> [[UInt8]] {
    var seeds: [[UInt8]] = []
    unsafe withUnsafeMutablePointer(to: &seeds) { seeds in
      unsafe visitAll(seeds) { context, bytes, byteCount in
        guard let seeds = unsafe context?.assumingMemoryBound(to: [[UInt8]].self) else { return }
        unsafe seeds.pointee.append(Array(UnsafeBufferPointer(start: bytes, count: byteCount)))
      }
    }
    return seeds
  }

  private var part: tdn_fuzz_part? {
    switch self {
    case .dataBuffer, .recordEnvelope, .keyFile, .sealedEnvelope, .queryText, .textSearch, .textSegment, .textIndex,
      .document:
      nil
    case .superblock: TDN_FUZZ_SUPERBLOCK
    case .catalog: TDN_FUZZ_CATALOG
    case .redoLog: TDN_FUZZ_REDO_LOG
    case .commitRing: TDN_FUZZ_COMMIT_RING
    case .pageSums: TDN_FUZZ_PAGE_SUMS
    case .hashFile: TDN_FUZZ_HASH_FILE
    case .treeFile: TDN_FUZZ_TREE_FILE
    case .states: TDN_FUZZ_STATES
    }
  }
}
