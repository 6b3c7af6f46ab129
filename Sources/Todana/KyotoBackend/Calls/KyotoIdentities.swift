internal import CStorageEngine

typealias SixteenBytes = (
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

extension StoreID {
  /// Creates the identity from its 16 stored bytes, the most significant first.
  init(_ bytes: SixteenBytes) {
    let halves = unsafe unsafeBitCast(bytes, to: (UInt64, UInt64).self)
    self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
  }
}

extension BatchID {
  /// The 16 bytes of the identity, the most significant first.
  var bytes: SixteenBytes { unsafe unsafeBitCast((high.bigEndian, low.bigEndian), to: SixteenBytes.self) }
}

extension OpenReport {
  init(_ report: tdn_open_report) {
    self.init(
      created: report.created, isReadOnly: report.read_only, commitNumber: report.commit_number,
      recoveredCommitCount: Int(clamping: report.recovered_commits),
      recoveryDuration: .seconds(report.recovery_seconds), formatVersion: Int(report.format_version))
  }
}
