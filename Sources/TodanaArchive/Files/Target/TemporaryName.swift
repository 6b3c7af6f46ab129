internal import Synchronization

/// A generator of names for incomplete files, such as `.todana-extract-00c0ffee00c0ffee-1f`.
///
/// A name contains the run's random number and a counter.
final class TemporaryName: Sendable {
  /// The name of an empty file that a directory contains from its creation until it has its metadata.
  ///
  /// If a run is killed, the marker shows the next run that the directory is unfinished.
  static let unfinishedMarker = Array(".todana-extract-unfinished".utf8)

  private static let prefix = Array(".todana-extract-".utf8)
  private static let runDigitCount = 16

  private let begin: [UInt8]
  private let count = Atomic<UInt64>(0)

  init() {
    let run = String(UInt64.random(in: .min ... .max), radix: 16)
    let padding = String(repeating: "0", count: Self.runDigitCount - run.utf8.count)
    begin = Self.prefix + Array((padding + run + "-").utf8)
  }

  /// Returns a name that was not returned before.
  func next() -> [UInt8] {
    let number = count.add(1, ordering: .relaxed).newValue
    return begin + Array(String(number, radix: 16).utf8)
  }

  /// Tests whether another run may have given this name to a file.
  func isLeftover(_ name: [UInt8]) -> Bool { !name.starts(with: begin) && Self.isOfRun(name) }

  /// Tests whether extraction uses this name: for a temporary file, or for the marker of an unfinished directory.
  static func isReserved(_ name: [UInt8]) -> Bool { name == unfinishedMarker || isOfRun(name) }

  private static func isOfRun(_ name: [UInt8]) -> Bool {
    guard name.starts(with: Self.prefix) else { return false }
    let parts = name.dropFirst(Self.prefix.count).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == Self.runDigitCount, !parts[1].isEmpty else { return false }
    return parts.allSatisfy { $0.allSatisfy(Self.isDigit) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
