import Todana

/// The fuzzing of record envelopes.
///
/// An input is a key byte and a record. The bytes of the record are also taken as the content of a valid record.
enum RecordEnvelopeFuzzing {
  private static let envelope = RecordEnvelope(storeID: StoreID(high: 1, low: 2), keyspace: KeyspaceID(rawValue: 3))

  static func run(_ bytes: [UInt8]) {
    let rowID = RowID(bytes.first ?? 0)
    let rest = Array(bytes.dropFirst())
    check(open(rest, rowID), of: rest)
    check(open(rest, key: [bytes.first ?? 0]), of: rest)

    let record = written(rest, rowID)
    guard let opened = open(record, rowID), opened.content == rest, opened.version == UInt8(truncatingIfNeeded: rowID)
    else { fatalError("a record that was written does not open") }
    guard open(record, rowID &+ 1) == nil else { fatalError("a record opens in another record's place") }
    // Damages a byte that the input selects.
    var damaged = record
    let place = Int(rest.last ?? 0) * 7 % damaged.count
    damaged[place] ^= max(rest.first ?? 1, 1)
    guard open(damaged, rowID) == nil else { fatalError("a damaged record opens") }
  }

  static var seeds: [[UInt8]] {
    [[], [1], [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]] + [0, 1, 8, 100].map { [5] + written(Array(repeating: 7, count: $0), 5) }
  }

  private struct Opened {
    var version: UInt8
    var content: [UInt8]
    var token: UInt64
  }

  private static func open(_ record: [UInt8], _ rowID: RowID) -> Opened? {
    unsafe open(record) { record throws(RecordEnvelopeError) in unsafe try envelope.open(record, rowID) }
  }

  private static func open(_ record: [UInt8], key: [UInt8]) -> Opened? {
    unsafe open(record) { record throws(RecordEnvelopeError) in unsafe try envelope.open(record, key) }
  }

  private static func open(
    _ record: [UInt8], _ body: (UnsafeRawBufferPointer) throws(RecordEnvelopeError) -> RecordEnvelope.Opened
  ) -> Opened? {
    unsafe record.withUnsafeBytes { record in
      do throws(RecordEnvelopeError) {
        let opened = unsafe try body(record)
        return unsafe Opened(version: opened.version, content: Array(opened.content), token: opened.token)
      } catch {
        guard !error.description.isEmpty else { fatalError("an error has no description") }
        return nil
      }
    }
  }

  /// Checks that an opened record consists of its envelope and its content only.
  private static func check(_ opened: Opened?, of record: [UInt8]) {
    guard let opened else { return }
    let token = (0..<8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64(record[record.count - 8 + $1]) }
    guard record.count == RecordEnvelope.minimumByteCount + opened.content.count, token == opened.token
    else { fatalError("a record opens with other bytes than its own") }
  }

  private static func written(_ content: [UInt8], _ rowID: RowID) -> [UInt8] {
    let arena = ByteArena(capacity: 0)
    var buffer = DataBuffer(arena: arena, encoder: nil)
    envelope.begin(version: UInt8(truncatingIfNeeded: rowID), in: &buffer)
    buffer.writeRawBytes(content)
    do throws(DataBufferError) {
      let range = try envelope.finish(rowID, in: &buffer).range
      return unsafe Array(arena.bytes[range])
    } catch {
      fatalError("a record is not written: \(error)")
    }
  }
}
