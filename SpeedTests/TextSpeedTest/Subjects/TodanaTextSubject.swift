import SpeedTestHarness
import Todana

/// A store with one class of objects with a text.
struct TodanaTextSubject<Entry: TextEntry>: TextSubject {
  var isEncrypted = false

  var version: String? { nil }

  /// The maximum number of objects of one save while building.
  private let mostObjects = 100_000
  /// The maximum number of bytes of the texts of one save while building.
  private let mostBytes = 16 << 20

  private func withStore(_ directory: String, _ body: (Store) throws -> Void) throws {
    // A key, because a passphrase would take longer to derive one from.
    let encryption: StoreEncryption = isEncrypted ? .key([UInt8](repeating: 0x5A, count: 16)) : .none
    let store = try Store(
      .directory(directory), classes: [Entry.self], configuration: StoreConfiguration(encryption: encryption))
    try body(store)
    try store.close()
  }

  func build(_ job: TextJob) throws -> Int? {
    try withStore(job.directory) { store in
      var objectCount = 0
      var byteCount = 0
      try forEachText(of: job.corpus, count: job.count) { _, text in
        let entry = Entry()
        entry.title = text
        try store.insert(entry)
        objectCount += 1
        byteCount += text.utf8.count
        if objectCount == mostObjects || byteCount > mostBytes {
          try store.saveChanges()
          (objectCount, byteCount) = (0, 0)
        }
      }
      try store.saveChanges()
      try store.buildIndexes()
      for index in try store.storedIndexes where index.pendingCount > 0 {
        throw SpeedTestError.failed("\(job.subject): the index lacks \(index.pendingCount) texts")
      }
    }
    return nil
  }

  func withSearcher(in directory: String, _ body: (any TextSearcher) throws -> Void) throws {
    try withStore(directory) { store in try body(TodanaTextSearcher<Entry>(store: store)) }
  }

  func withSaver(in directory: String, _ body: (TextSaver) throws -> Void) throws {
    try withStore(directory) { store in
      try body(
        TextSaver(
          save: { text in
            let entry = Entry()
            entry.title = text
            try store.insert(entry)
            try store.saveChanges()
          },
          logByteCount: { try (store.backend as? KyotoBackend)?.statistics().logByteCount }))
    }
  }
}

private struct TodanaTextSearcher<Entry: TextEntry>: TextSearcher {
  let store: Store

  func prepare(_ query: TextQuery) throws -> PreparedTextQuery? {
    let all = Entry.matching(expression(of: query))
    var wanted = query.result == .top ? all.sorted(by: .relevance) : all
    if let limit = query.limit { wanted = wanted.limit(limit) }
    let plan = try store.explain(all)
    var readsAll = false
    // The plan is that of the condition; a text index gives the most relevant objects in any case.
    if case .scan = plan.access { readsAll = query.result != .top || Entry.textIndexes.isEmpty }
    // A regular expression that the index cannot narrow down reads all objects that the index has.
    if query.kind == .regularExpression, try plan.expectedCount >= store.count(Entry.self) { readsAll = true }
    return PreparedTextQuery(
      readsAll: readsAll,
      hitCounts: { scaledCount in
        // A count that comes from the index is compared with the ids, which are found in another way.
        let ids = try store.ids(all)
        let count = readsAll ? ids.count : try store.count(all)
        guard count == ids.count else {
          throw SpeedTestError.wrongResult("\(query.id): the count is \(count), but there are \(ids.count) ids")
        }
        return (count, ids.count { $0.rowID <= UInt64(scaledCount) })
      },
      run: {
        if query.result == .ids {
          _ = try store.ids(wanted)
          return 0
        }
        return try store.fetch(wanted).reduce(0) { $0 + $1.title.utf8.count }
      },
      rows: { try store.ids(wanted).map { Int($0.rowID) } })
  }

  private func expression(of query: TextQuery) -> TextExpression {
    let text = query.terms.joined(separator: " ")
    return switch query.kind {
    case .all: query.terms.dropFirst().reduce(.word(query.terms[0])) { $0 && .word($1) }
    case .any: query.terms.dropFirst().reduce(.word(query.terms[0])) { $0 || .word($1) }
    case .phrase: .phrase(text)
    case .substring: .substring(text)
    case .prefix: .prefix(text)
    case .fuzzy: .fuzzy(text, edits: query.edits)
    case .regularExpression: .regularExpression(text)
    }
  }
}
