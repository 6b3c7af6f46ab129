internal import Synchronization
internal import Todana

/// Which rows of a class were found to be sound, and which not.
///
/// Any thread.
final class CheckedRows: Sendable {
  private struct State {
    var sound = RowSet()
    var damaged: [RowID: String] = [:]
    var readCount = 0
    var byteCount: Int64 = 0
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - rows: That are, or count as, sound.
  ///   - readCount: How many of them were read.
  ///   - byteCount: What they hold.
  func add(sound rows: [RowID], readCount: Int, byteCount: Int64) {
    state.withLock { state in
      for row in rows { _ = state.sound.insert(row) }
      state.readCount += readCount
      state.byteCount += byteCount
    }
  }

  func add(damaged row: RowID, _ reason: String) { state.withLock { $0.damaged[row] = reason } }

  func isSound(_ row: RowID) -> Bool { state.withLock { $0.sound.contains(row) } }

  /// How many sound rows were read.
  var readCount: Int { state.withLock { $0.readCount } }
  var byteCount: Int64 { state.withLock { $0.byteCount } }
  var damaged: [(row: RowID, reason: String)] {
    state.withLock { $0.damaged.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }
}
