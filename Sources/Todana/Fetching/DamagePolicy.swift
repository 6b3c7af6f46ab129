/// The policy by which a call that reads several records treats records that cannot be read.
///
/// A record cannot be read if it is damaged (``StoreError/Code/damagedRecord``) or if a newer version of the class
/// wrote it (``StoreError/Code/newerVersion``). The same holds if its `readContent` throws
/// (``StoreError/Code/unreadableContent``), or if its key is missing (``StoreError/Code/unknownKeyEpoch``). With
/// ``report(_:)`` the rest of the answer is exact:
///
/// - Each record that the call has to read and cannot read is reported once, with class and row, and left out. Order,
///   limit, offset, sums and groups are computed from the readable objects.
/// - If a condition, an order or a value reads another object (`\.album?.title`) whose record cannot be read, that
///   record is reported. The object that refers to it is left out, too.
/// - A record that the call does not need is not read. A count of a whole class, and identities and values from an
///   index, include objects whose records cannot be read.
/// - An index that was built while records could not be read does not contain them (``IndexStatus/skippedRows``). A
///   query that uses it reports these rows, as each may belong to the answer.
/// - Damage of a page with records of unknown rows is reported without a row.
///
/// An error that is not about single records is thrown under each policy: a closed store, a failed read, a damaged
/// index.
public struct DamagePolicy {
  let report: ((StoreError) -> Void)?

  /// A policy that throws at the first record that is needed and cannot be read.
  public static var fail: DamagePolicy { DamagePolicy(report: nil) }

  /// Returns a policy that leaves the record out, and passes the error, with class, row and cause, to a closure.
  public static func report(_ body: @escaping (StoreError) -> Void) -> DamagePolicy { DamagePolicy(report: body) }

  /// Whether the call continues after a record that cannot be read.
  var isReporting: Bool { report != nil }

  /// Throws the error, or reports it.
  func handle(_ error: StoreError) throws(StoreError) {
    guard let report, error.isAboutRecords else { throw error }
    report(error)
  }

  /// The policy for a call that may encounter a record several times: it reports each once.
  var reportingOnce: DamagePolicy { isReporting ? reporting(each: ReportedRecords()) : self }

  /// Returns a policy that does not report the given records again.
  func reporting(each reported: ReportedRecords) -> DamagePolicy {
    guard let report else { return self }
    return DamagePolicy { error in
      if reported.insert(error) { report(error) }
    }
  }
}

/// The records that a call has reported.
final class ReportedRecords {
  private var rows: [String: Set<RowID>] = [:]

  /// Adds the record of an error.
  ///
  /// - Returns: False if it was reported before. Errors without a row are always new.
  func insert(_ error: StoreError) -> Bool {
    guard let rowID = error.rowID else { return true }
    return rows[error.className ?? "", default: []].insert(rowID).inserted
  }

  /// Forgets rows of a class, which may be reported again.
  func remove(_ rowIDs: Set<RowID>, ofClassNamed name: String) { rows[name]?.subtract(rowIDs) }
}

extension StoreError {
  /// Whether the error concerns single records, so that others can be read.
  var isAboutRecords: Bool {
    switch code {
    case .damagedRecord, .newerVersion, .unreadableContent, .unknownKeyEpoch, .contentsDoNotMatchDigest, .rowNotFound:
      true
    default: false
    }
  }
}
