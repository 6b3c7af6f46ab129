/// A record as it is stored, of a class that the program need not know.
public struct RawRecord: Sendable {
  public let rowID: RowID
  /// The version of the class that wrote it.
  public let version: UInt8
  /// What `writeContent` wrote.
  public let content: [UInt8]
}

extension Store {
  /// Calls the closure with each saved record of a class, by the class's stored name, registered or not.
  ///
  /// - Parameters:
  ///   - name: As ``catalog`` lists it.
  ///   - onDamage: What to do about records that cannot be read.
  ///   - body: Gets the record, and a flag that ends the loop when set.
  /// - Throws: What the closure throws; ``StoreError``: ``StoreError/Code/unknownClass`` if nothing was ever saved under
  ///   the name.
  public func rawRecords(
    ofClassNamed name: String, onDamage: DamagePolicy = .fail, _ body: (RawRecord, inout Bool) throws -> Void
  ) throws {
    try begin()
    let structures = try onBackend { backend throws(BackendError) in try backend.structures() }
    guard let structure = structures.first(where: { $0.kind == .rows && $0.name == Array(name.utf8) }) else {
      throw StoreError(.unknownClass, "Nothing was ever saved under this class name.", className: name)
    }
    let envelope = envelope(of: structure.id)
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    let scan = try scan(structure.id)
    var stop = false
    while !stop, try next(of: scan, into: chunk, onDamage: onDamage) {
      for slice in chunk.slices where !stop {
        let record: RawRecord
        do throws(StoreError) {
          record = try rawRecord(slice, in: chunk, envelope: envelope, className: name)
        } catch {
          try onDamage.handle(error)
          continue
        }
        try body(record, &stop)
      }
    }
  }

  private func rawRecord(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, envelope: RecordEnvelope, className: String
  ) throws(StoreError) -> RawRecord {
    guard slice.status == .found else {
      throw StoreError(.damagedRecord, "The record is damaged.", className: className, rowID: slice.rowID)
    }
    do throws(RecordEnvelopeError) {
      let opened = try unsafe envelope.open(chunk.value(of: slice), slice.rowID)
      return unsafe RawRecord(rowID: slice.rowID, version: opened.version, content: Array(opened.content))
    } catch {
      throw StoreError(error, className: className, rowID: slice.rowID)
    }
  }
}
