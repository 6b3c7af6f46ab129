internal import Todana

/// An import of a file's rows in batches, each of which is one commit.
struct Importer<Target: ImportTarget> {
  let target: Target
  let format: RowFormat
  let options: ImportOptions
  private let input: ByteInput
  private let key: String
  /// The inserted rows that are not saved.
  private var batch: [ImportedRow] = []
  private var batchStart = 0
  private var progress: ImportProgress
  private var savedRowCount = 0
  private var hasPosition = false
  private var summary = ImportSummary()

  private var store: Store { target.store }

  init(_ input: ByteInput, as format: RowFormat, into target: Target, _ options: ImportOptions) throws {
    guard options.batchSize > 0, options.rowByteLimit > 0 else {
      throw ImportError(.invalidOption, "the size of batches and the limit of rows are at least 1")
    }
    if target.store.hasUnsavedChanges {
      throw ImportError(.unsavedChanges, "the store has unsaved changes: save or discard them before an import")
    }
    self.input = input
    self.format = format
    self.target = target
    self.options = options
    key = try target.prepareForImport()
    progress = ImportProgress(totalByteCount: input.byteCount)
  }

  /// Imports all rows.
  ///
  /// - Throws: ``ImportError``; errors of closures.
  mutating func run() throws -> ImportSummary {
    do {
      let source = try format.source(input, from: start(), options)
      batchStart = source.place.byteOffset
      try importRows(of: source)
      return summary
    } catch var error as ImportError {
      error.savedRowCount = savedRowCount
      throw error
    }
  }

  /// Returns the place from which to continue; nil for the beginning.
  private mutating func start() throws -> RowPlace? {
    let position = try ImportPosition.load(key, from: store)
    hasPosition = position != nil
    guard options.resume else {
      if let position, try position.isOf(input, format) {
        throw ImportError(
          .unfinished, "an import of this file is unfinished, with \(position.rowCount) saved rows: resume or forget it"
        )
      }
      return nil
    }
    guard let position else {
      throw ImportError(.nothingToResume, "the collection has no unfinished import")
    }
    guard try position.isOf(input, format) else {
      throw ImportError(
        .otherFile, "the unfinished import is one of another file than \(input.name), or it was changed")
    }
    (savedRowCount, progress.rowCount) = (position.rowCount, position.rowCount)
    progress.skippedRowCount = position.skippedRowCount
    return position.place
  }

  private mutating func importRows(of source: any RowSource) throws {
    var number = 0
    while true {
      do {
        number += 1
        if number.isMultiple(of: 1000) { try report(source) }
        if number.isMultiple(of: 64), Task.isCancelled { throw ImportError(.cancelled, "the import was cancelled") }
        guard let row = try source.next() else { break }
        try insert(row)
        batch.append(row)
        progress.rowCount += 1
      } catch {
        guard source.canContinue, case .skip(let handler) = options.errorPolicy, let error = error as? ImportError,
          error.code.isOfRow
        else {
          // Save the rows before the error, and the position after them.
          try commit(at: batch.last?.end)
          throw error
        }
        do {
          try skip(error, handler)
        } catch {
          try commit(at: batch.last?.end)
          throw error
        }
      }
      let byteCount = source.place.byteOffset - batchStart
      if batch.count >= options.batchSize || byteCount >= ImportOptions.batchByteLimit {
        try commit(at: source.place)
        batchStart = source.place.byteOffset
        try report(source)
      }
    }
    let place = source.place
    try commit(at: nil)
    if hasPosition {
      try ImportPosition.remove(key, from: store)
      try save()
    }
    progress.byteCount = place.byteOffset
    try options.progress?(progress)
  }

  private mutating func skip(_ error: ImportError, _ handler: (ImportError) throws -> Void) throws {
    progress.skippedRowCount += 1
    summary.skippedRowCount += 1
    var error = error
    error.savedRowCount = savedRowCount
    try handler(error)
  }

  private func insert(_ row: ImportedRow) throws {
    do {
      try target.insertRow(row.value)
    } catch let error as DocumentError {
      throw ImportError(.invalidRow, error.message, row.start, underlying: error)
    }
  }

  private mutating func report(_ source: any RowSource) throws {
    progress.byteCount = source.place.byteOffset
    try options.progress?(progress)
  }
}

// Commits.
extension Importer {
  /// Saves the batch, with the position at a place; nil for no position.
  private mutating func commit(at place: RowPlace?) throws {
    if batch.isEmpty { return }
    let rows = batch[...]
    batch.removeAll(keepingCapacity: true)
    try save(rows, at: place)
  }

  /// Saves inserted rows.
  ///
  /// If one of them is not unique, saves them in halves.
  private mutating func save(_ rows: ArraySlice<ImportedRow>, at place: RowPlace?) throws {
    do {
      if let place { try setPosition(place, savedRowCount + rows.count) } else { try removePosition() }
      try save()
    } catch let violation as UniqueViolation {
      store.discardChanges()
      try saveHalves(rows, violation)
      if place == nil, hasPosition {
        try removePosition()
        try save()
      }
      return
    }
    hasPosition = place != nil && input.byteCount != nil
    savedRowCount += rows.count
    summary.rowCount += rows.count
  }

  private mutating func saveHalves(_ rows: ArraySlice<ImportedRow>, _ violation: UniqueViolation) throws {
    guard rows.count > 1 else {
      guard let row = rows.first else { return }
      progress.rowCount -= 1
      let error = ImportError(.notUnique, "\(violation)", row.start, underlying: violation)
      guard case .skip(let handler) = options.errorPolicy else { throw error }
      return try skip(error, handler)
    }
    let middle = rows.startIndex + rows.count / 2
    for half in [rows[..<middle], rows[middle...]] {
      for row in half { try insert(row) }
      try save(half, at: half.last?.end)
    }
  }

  private func save() throws {
    do {
      try store.saveChanges()
    } catch let violation as UniqueViolation {
      throw violation
    } catch {
      store.discardChanges()
      throw ImportError(.notSaved, "a batch cannot be saved: \(error)", underlying: error)
    }
  }

  private func setPosition(_ place: RowPlace, _ rowCount: Int) throws {
    // Other inputs than files cannot be resumed.
    guard let byteCount = input.byteCount else { return }
    var position = ImportPosition(
      format: format.name, place: place, rowCount: rowCount, skippedRowCount: progress.skippedRowCount,
      byteCount: byteCount, digest: 0)
    position.digest = try input.digest(around: position.digestOffset) ?? 0
    try position.store(key, in: store)
  }

  private func removePosition() throws {
    if hasPosition { try ImportPosition.remove(key, from: store) }
  }
}

extension ImportError.Code {
  /// Whether the error concerns one row, so that an import can continue with the next one.
  fileprivate var isOfRow: Bool {
    switch self {
    case .invalidText, .wrongEncoding, .tooLarge, .wrongFieldCount, .invalidRow, .notUnique: true
    default: false
    }
  }
}
