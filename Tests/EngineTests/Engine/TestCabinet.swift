import CStorageEngine
import Foundation

/// Whether random tests run longer.
let isLongTest = ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] != nil

struct CabinetError: Error, Equatable {
  var code: UInt32
  var message: String
  var file: String

  init(_ error: tdn_error) {
    code = UInt32(bitPattern: error.code)
    message = text(of: error.message)
    file = text(of: error.file)
  }
}

private func text<Characters>(of characters: Characters) -> String {
  unsafe withUnsafeBytes(of: characters) { bytes in
    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

private func checked(_ body: (UnsafeMutablePointer<tdn_error>) -> Bool) throws(CabinetError) {
  var error = tdn_error()
  if unsafe !body(&error) { throw CabinetError(error) }
}

/// A record's key: a row id or bytes, compared in the order that a batch requires.
enum CabinetKey: Hashable, Comparable {
  case row(UInt64)
  case bytes([UInt8])

  static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.row(let left), .row(let right)): left < right
    case (.bytes(let left), .bytes(let right)):
      left.lexicographicallyPrecedes(right)
    case (.row, .bytes): true
    case (.bytes, .row): false
    }
  }
}

struct CabinetChange {
  enum Expectation {
    case any
    case absent
    case token(UInt64)
  }

  var keyspace: UInt32
  var key: CabinetKey
  var value: [UInt8]?  // nil removes the record
  var expectation = Expectation.any
  var kind: tdn_change_kind?  // nil: a put or a removal

  static func clear(_ keyspace: UInt32) -> Self { Self(keyspace: keyspace, key: .row(0), kind: TDN_CLEAR) }
}

struct CabinetRecord: Equatable {
  var key: CabinetKey
  var value: [UInt8]?  // nil: damaged
}

enum CabinetAnswer: Equatable {
  case found([UInt8])
  case absent
  case damaged
}

/// A cabinet, used through its C interface; safe to call from any thread.
@safe final class TestCabinet: @unchecked Sendable {
  fileprivate let handle: OpaquePointer
  private var isClosed = false

  convenience init(_ path: String) throws(CabinetError) {
    try unsafe self.init(path) { _ in }
  }

  init(_ path: String, configure: (inout tdn_options) -> Void) throws(CabinetError) {
    var options = unsafe tdn_options()
    unsafe tdn_options_init(&options)
    unsafe configure(&options)
    var report = tdn_open_report()
    var error = tdn_error()
    guard let opened = unsafe tdn_open(path, &options, &report, &error) else { throw CabinetError(error) }
    unsafe handle = opened
  }

  deinit {
    if !isClosed { try? close() }
  }

  func close() throws(CabinetError) {
    isClosed = true
    try unsafe checked { unsafe tdn_close(handle, $0) }
  }

  func reopen() throws(CabinetError) {
    var report = tdn_open_report()
    try unsafe checked { unsafe tdn_reopen(handle, &report, $0) }
  }

  func keyspace(_ kind: tdn_keyspace_kind, _ name: String) throws(CabinetError) -> UInt32 {
    var id: UInt32 = 0
    let bytes = Array(name.utf8)
    try unsafe checked { unsafe tdn_keyspace_named(handle, Int32(kind.rawValue), bytes, bytes.count, &id, $0) }
    return id
  }

  func count(_ keyspace: UInt32) throws(CabinetError) -> Int {
    var count: UInt64 = 0
    try unsafe checked { unsafe tdn_count(handle, keyspace, &count, $0) }
    return Int(count)
  }

  func reserveRows(_ keyspace: UInt32, _ count: Int) throws(CabinetError) -> UInt64 {
    var first: UInt64 = 0
    try unsafe checked { unsafe tdn_reserve_rows(handle, keyspace, UInt64(count), &first, $0) }
    return first
  }

  func checkpoint() throws(CabinetError) {
    try unsafe checked { unsafe tdn_checkpoint(handle, $0) }
  }

  /// Compacts a keyspace's file; returns whether the file became shorter.
  func compact(_ keyspace: UInt32, progress: @escaping () -> Bool = { true }) throws(CabinetError) -> Bool {
    var isCompacted = false
    try withoutActuallyEscaping(progress) { progress throws(CabinetError) in
      var progress = progress
      try unsafe withUnsafeMutablePointer(to: &progress) { context throws(CabinetError) in
        try unsafe checked {
          unsafe tdn_compact(
            handle, keyspace,
            { context, _, _ in unsafe context?.assumingMemoryBound(to: (() -> Bool).self).pointee() ?? false },
            context, &isCompacted, $0)
        }
      }
    }
    return isCompacted
  }

  func statistics() throws(CabinetError) -> tdn_statistics {
    var statistics = tdn_statistics()
    try unsafe checked { unsafe tdn_get_statistics(handle, &statistics, $0) }
    return statistics
  }

  /// Commits changes that are already sorted as a batch requires.
  ///
  /// - Returns: The indexes of conflicting changes; empty if all were applied.
  @discardableResult
  func commit(
    _ changes: [CabinetChange], durability: tdn_durability = TDN_RELAXED
  ) throws(CabinetError) -> [Int] {
    var bytes: [UInt8] = []
    let packed = changes.map { change in
      var packed = tdn_change()
      packed.keyspace = change.keyspace
      packed.kind = UInt8((change.kind ?? (change.value == nil ? TDN_REMOVE : TDN_PUT)).rawValue)
      switch change.expectation {
      case .any: packed.expectation = UInt8(TDN_EXPECT_ANY.rawValue)
      case .absent: packed.expectation = UInt8(TDN_EXPECT_ABSENT.rawValue)
      case .token(let token):
        packed.expectation = UInt8(TDN_EXPECT_TOKEN.rawValue)
        packed.expected = token
      }
      switch change.key {
      case .row(let row): packed.key = row
      case .bytes(let key):
        packed.key = UInt64(bytes.count)
        packed.key_length = UInt16(key.count)
        bytes += key
      }
      packed.value = UInt64(bytes.count)
      packed.value_length = UInt64(change.value?.count ?? 0)
      bytes += change.value ?? []
      return packed
    }
    var result = unsafe tdn_commit_result()
    defer { unsafe tdn_commit_result_free(&result) }
    do {
      try unsafe checked { error in
        unsafe packed.withUnsafeBufferPointer { changes in
          unsafe bytes.withUnsafeBufferPointer { bytes in
            var batch = unsafe tdn_batch()
            unsafe withUnsafeMutableBytes(of: &batch.id) { id in
              for index in id.indices { unsafe id[index] = UInt8.random(in: 0...255) }
            }
            unsafe batch.changes = changes.baseAddress
            unsafe batch.change_count = changes.count
            unsafe batch.bytes = bytes.baseAddress
            unsafe batch.byte_count = bytes.count
            return unsafe tdn_commit(handle, &batch, Int32(durability.rawValue), &result, error)
          }
        }
      }
      return []
    } catch {
      guard error.code == TDN_CONFLICT.rawValue else { throw error }
      return unsafe UnsafeBufferPointer(start: result.conflicts, count: result.conflict_count).map { Int($0) }
    }
  }

  func get(
    _ key: CabinetKey, in keyspace: UInt32, _ snapshot: TestSnapshot? = nil
  ) throws(CabinetError) -> CabinetAnswer {
    var chunk = ChunkBuffer(byteCapacity: 1 << 16, sliceCapacity: 1)
    let fill = { (chunk: UnsafeMutablePointer<tdn_chunk>, error: UnsafeMutablePointer<tdn_error>) in
      switch key {
      case .row(var row): unsafe tdn_get_rows(self.handle, snapshot?.handle, keyspace, &row, 1, chunk, error)
      case .bytes(let key):
        unsafe tdn_get_key(self.handle, snapshot?.handle, keyspace, key, key.count, chunk, error)
      }
    }
    try unsafe chunk.fill(fill)
    if chunk.slices.isEmpty {
      chunk = ChunkBuffer(byteCapacity: chunk.needed, sliceCapacity: 1)
      try unsafe chunk.fill(fill)
    }
    switch UInt32(bitPattern: chunk.slices[0].status) {
    case TDN_FOUND.rawValue: return .found(chunk.value(0))
    case TDN_ABSENT.rawValue: return .absent
    default: return .damaged
    }
  }

  func snapshot() throws(CabinetError) -> TestSnapshot {
    var error = tdn_error()
    guard let snapshot = unsafe tdn_snapshot_open(handle, &error) else { throw CabinetError(error) }
    return unsafe TestSnapshot(snapshot)
  }
}

@safe final class TestSnapshot: @unchecked Sendable {
  fileprivate let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = handle }
  deinit { unsafe tdn_snapshot_close(handle) }

  func count(_ keyspace: UInt32) throws(CabinetError) -> Int {
    var count: UInt64 = 0
    try unsafe checked { unsafe tdn_snapshot_count(handle, keyspace, &count, $0) }
    return Int(count)
  }

  func scan(_ keyspace: UInt32) throws(CabinetError) -> TestScan {
    var error = tdn_error()
    guard let scan = unsafe tdn_scan_open(handle, keyspace, &error) else { throw CabinetError(error) }
    return unsafe TestScan(self, scan)
  }

  func range(
    _ keyspace: UInt32, from lower: [UInt8]? = nil, to upper: [UInt8]? = nil, descending: Bool = false
  ) throws(CabinetError) -> TestScan {
    var error = tdn_error()
    let scan = unsafe tdn_range_open(
      handle, keyspace, lower, lower?.count ?? 0, upper, upper?.count ?? 0, descending, &error)
    guard let scan = unsafe scan else { throw CabinetError(error) }
    return unsafe TestScan(self, scan)
  }
}

@safe final class TestScan {
  private let snapshot: TestSnapshot  // must outlive the scan
  private let handle: OpaquePointer

  fileprivate init(_ snapshot: TestSnapshot, _ handle: OpaquePointer) {
    self.snapshot = snapshot
    unsafe self.handle = handle
  }
  deinit { unsafe tdn_scan_close(handle) }

  /// Returns the next records, as many as fit; none at the end.
  func next(byteCapacity: Int = 100_000, sliceCapacity: Int = 1000) throws(CabinetError) -> [CabinetRecord] {
    var chunk = ChunkBuffer(byteCapacity: byteCapacity, sliceCapacity: sliceCapacity)
    try unsafe chunk.fill { unsafe tdn_scan_next(handle, $0, $1) }
    if chunk.slices.isEmpty && chunk.needed > 0 {
      chunk = ChunkBuffer(byteCapacity: chunk.needed, sliceCapacity: 1)
      try unsafe chunk.fill { unsafe tdn_scan_next(handle, $0, $1) }
    }
    return chunk.slices.indices.map { index in
      let slice = chunk.slices[index]
      let isFound = slice.status == Int32(TDN_FOUND.rawValue)
      return CabinetRecord(
        key: slice.key_length > 0 ? .bytes(chunk.key(index)) : .row(slice.row),
        value: isFound ? chunk.value(index) : nil)
    }
  }

  func all() throws(CabinetError) -> [CabinetRecord] {
    var records: [CabinetRecord] = []
    while true {
      let more = try next()
      if more.isEmpty { return records }
      records += more
    }
  }
}

private struct ChunkBuffer {
  private var bytes: [UInt8]
  private(set) var slices: [tdn_slice]
  private(set) var needed = 0

  init(byteCapacity: Int, sliceCapacity: Int) {
    bytes = Array(repeating: 0, count: byteCapacity)
    slices = Array(repeating: tdn_slice(), count: sliceCapacity)
  }

  mutating func fill(
    _ body: (UnsafeMutablePointer<tdn_chunk>, UnsafeMutablePointer<tdn_error>) -> Bool
  ) throws(CabinetError) {
    var error = tdn_error()
    var sliceCount = 0
    let isFilled = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      unsafe slices.withUnsafeMutableBufferPointer { slices in
        guard let first = slices.baseAddress else { return false }
        var empty: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &empty) { empty in
          var chunk = unsafe tdn_chunk(
            bytes: bytes.baseAddress ?? empty, byte_capacity: bytes.count, byte_count: 0,
            slices: first, slice_capacity: slices.count, slice_count: 0, needed: 0, sealed: false,
            leaves_out_values: false)
          let isFilled = unsafe body(&chunk, &error)
          sliceCount = unsafe chunk.slice_count
          needed = unsafe chunk.needed
          return isFilled
        }
      }
    }
    slices.removeLast(slices.count - sliceCount)
    if !isFilled { throw CabinetError(error) }
  }

  func value(_ index: Int) -> [UInt8] {
    Array(bytes[Int(slices[index].offset)..<Int(slices[index].offset + slices[index].length)])
  }
  func key(_ index: Int) -> [UInt8] {
    let end = Int(slices[index].offset)
    return Array(bytes[(end - Int(slices[index].key_length))..<end])
  }
}

/// Returns the token of a value, its last 8 bytes, little-endian, which the engine compares with an expectation.
func token(of value: [UInt8]) -> UInt64 {
  var token: UInt64 = 0
  for (index, byte) in value.suffix(8).enumerated() { token |= UInt64(byte) << (8 * UInt64(index)) }
  return token
}
