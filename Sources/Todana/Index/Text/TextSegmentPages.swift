// The pages of segments are records of a keyspace of rows, with the same envelopes as those of objects.
extension Store {
  /// Returns the pages of a segment in a state.
  func pages(of keyspace: KeyspaceID, in snapshot: any BackendSnapshot) -> TextPageSource {
    let envelope = envelope(of: keyspace)
    let chunk = RecordChunk(byteCapacity: 2 * TextSegment.pageByteCount, recordLimit: 1)
    return unsafe TextPageSource { number, buffer throws(BackendError) in
      try snapshot.read(rows: [number].span, of: keyspace, into: chunk)
      guard let slice = chunk.slices.first, slice.status == .found,
        let opened = unsafe envelope.openIfSound(chunk.value(of: slice), number),
        unsafe opened.content.count <= buffer.count
      else {
        throw BackendError(
          .damaged, "Page \(number) of a text index is missing or damaged: rebuild the index.", keyspace: keyspace,
          rowID: number)
      }
      unsafe buffer.copyMemory(from: opened.content)
      return unsafe opened.content.count
    }
  }

  /// Opens a segment in a state.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - snapshot: The state.
  ///   - keepsPages: Whether its pages stay in memory for other searches.
  /// - Returns: The open segment.
  /// - Throws: The errors of reading pages; ``BackendError/Code/damaged``, ``BackendError/Code/noMemory``.
  func segment(
    _ segment: TextIndexHeader.Segment, in snapshot: any BackendSnapshot, keepsPages: Bool = false
  ) throws(BackendError) -> TextSegment {
    let source = pages(of: segment.keyspace, in: snapshot)
    let indexes = session.textIndexes
    let tables = try indexes.tables(of: segment.keyspace) { () throws(BackendError) in
      try TextSegmentTables(segment.info, from: source)
    }
    let cache = keepsPages ? try indexes.pages(byteCapacity: pageCacheByteCount) : nil
    return try TextSegment(tables, source, cache: cache)
  }

  /// The most bytes of pages of text indexes in memory.
  private var pageCacheByteCount: Int { configuration.tuning.limitsMemory ? 2 << 20 : 16 << 20 }
}

/// A segment that is written to a keyspace of its own.
struct TextSegmentLoading: ~Copyable {
  let keyspace: KeyspaceID
  private let loader: any KeyspaceLoader
  private let envelope: RecordEnvelope
  private let check: () throws -> Void

  /// Begins to write a segment.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - name: The name of the keyspace.
  ///   - byteCount: The approximate size of the segment.
  ///   - check: Called repeatedly; throws if the writing is to end.
  /// - Throws: The errors of ``StoreBackend/loadKeyspace(of:named:expecting:)``.
  init(
    _ store: Store, named name: [UInt8], byteCount: Int, unlessEnded check: @escaping () throws -> Void
  ) throws(BackendError) {
    loader = try store.sealing.loadKeyspace(
      of: .rows, named: name, expecting: byteCount / TextSegment.pageByteCount + 1)
    keyspace = loader.keyspace
    envelope = store.envelope(of: loader.keyspace)
    self.check = check
  }

  /// The number of bytes of pages that are passed to the backend at a time.
  private static let stepByteCount = 1 << 20

  /// Writes the pages that the closure makes, and finishes the keyspace.
  ///
  /// - Throws: The error of `check`; the errors of the closure and of the backend.
  func write(
    _ body: (TextPageSink) throws(BackendError) -> TextSegmentInfo
  ) throws -> TextSegmentInfo {
    let (loader, envelope, keyspace, check) = (loader, envelope, keyspace, check)
    var changes: [WriteBatch.Change] = []
    let arena = ByteArena()
    var ended: (any Error)?
    func append() throws(BackendError) {
      var batch = WriteBatch(arena: arena)
      for change in changes { batch.append(change) }
      changes.removeAll(keepingCapacity: true)
      try loader.append(batch)
      arena.count = 0
    }
    let sink = unsafe TextPageSink { number, bytes throws(BackendError) in
      var writer = DataBuffer(arena: arena, encoder: UncheckedReferences())
      envelope.begin(version: 0, in: &writer)
      unsafe writer.writeRawBytes(bytes.bytes)
      let written: RecordEnvelope.Written
      do throws(DataBufferError) {
        written = try envelope.finish(number, in: &writer)
      } catch {
        throw BackendError(.limitExceeded, "A page of a text index cannot be written: \(error)")
      }
      changes.append(
        .init(keyspace: keyspace, kind: .put, expectation: .absent, key: .row(number), value: written.range))
      guard arena.count >= Self.stepByteCount else { return }
      try append()
      do {
        try check()
      } catch {
        ended = error
        throw BackendError(.interrupted, "The building of a text index was ended.")
      }
    }
    do throws(BackendError) {
      let info = try body(sink)
      if !changes.isEmpty { try append() }
      try loader.finish()
      return info
    } catch {
      if let ended { throw ended }
      throw error
    }
  }
}
