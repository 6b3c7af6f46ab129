import Foundation
import TestSupport
import Todana

extension CrashChild {
  /// Commits until the log cannot grow, then continues with more room.
  static func fillInCommit(_ path: String) throws {
    let backend = try KyotoBackend(.directory(path))
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try backend.commit { $0.put(patternedBytes(1), row: 1, in: songs) }
    try limitFiles(to: try largestFile(in: path) + (256 << 10))
    var row: RowID = 1
    let error = firstError {
      for _ in 0..<2000 {
        try backend.commit { $0.put(patternedBytes(row + 1, count: 100_000), row: row + 1, in: songs) }
        row += 1
      }
    }
    if let error { report(error) } else { report("nothing failed") }
    try check(backend, songs, rows: 1...row)
    try limitFiles(to: nil)
    if error?.code == .mustReopen { try backend.reopen() }
    try backend.commit { $0.put(patternedBytes(row + 1, count: 100_000), row: row + 1, in: songs) }
    report("usable")
    try check(backend, songs, rows: 1...row + 1)
    try backend.close()
    report("closed \(row + 1)")
  }

  /// Commits to the log, then limits the size of files so that the checkpoint fails, and continues with more room.
  static func fillInCheckpoint(_ path: String) throws {
    var options = KyotoBackend.Options()
    options.directThresholdByteCount = 1 << 40
    let backend = try KyotoBackend(.directory(path), options: options)
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    var row: RowID = 0
    for _ in 0..<60 {
      row += 1
      try backend.commit { $0.put(patternedBytes(row, count: 100_000), row: row, in: songs) }
    }
    try limitFiles(to: 1 << 20)
    let error = firstError { try backend.checkpoint() }
    if let error { report(error) } else { report("nothing failed") }
    try check(backend, songs, rows: 1...row)
    try limitFiles(to: nil)
    if error?.code == .mustReopen { try backend.reopen() }
    try check(backend, songs, rows: 1...row)
    try backend.checkpoint()
    row += 1
    try backend.commit { $0.put(patternedBytes(row, count: 100_000), row: row, in: songs) }
    report("usable")
    try check(backend, songs, rows: 1...row)
    try backend.close()
    report("closed \(row)")
  }

  private static func firstError(_ body: () throws -> Void) -> BackendError? {
    do {
      try body()
      return nil
    } catch {
      return error as? BackendError
    }
  }

  private static func check(_ backend: KyotoBackend, _ songs: KeyspaceID, rows: ClosedRange<RowID>) throws {
    let found = try backend.allRows(of: songs)
    let isIntact =
      found.count == rows.count
      && rows.allSatisfy { found[$0] == patternedBytes($0, count: found[$0]?.count ?? 0) && found[$0] != nil }
    report(isIntact ? "intact" : "lost: \(found.count) of \(rows.count) rows")
  }

  /// Makes writes after this offset of any file fail with `EFBIG`; nil removes the limit.
  static func limitFiles(to byteCount: Int?) throws {
    // The default action of the signal would end the process.
    _ = signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    guard unsafe getrlimit(fileSizeResource, &limit) == 0 else { throw CocoaError(.featureUnsupported) }
    limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
    guard unsafe setrlimit(fileSizeResource, &limit) == 0 else { throw CocoaError(.featureUnsupported) }
  }

  #if canImport(Darwin)
    private static var fileSizeResource: Int32 { RLIMIT_FSIZE }
  #else
    private static var fileSizeResource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
  #endif

  static func largestFile(in path: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: path).map { name in
      let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
      return attributes[.size] as? Int ?? 0
    }.max() ?? 0
  }
}
