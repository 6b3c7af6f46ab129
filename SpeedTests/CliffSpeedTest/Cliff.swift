import Foundation
import Glibc
import Synchronization
import Todana

/// Work that is measured in three sizes.
struct Cliff {
  let id: String
  let title: String
  /// The unit of the values: a time, or a ratio.
  let unit: String
  let largest: Int
  /// Does the work in a new directory, and returns its cost.
  let measure: (_ path: String, _ size: Int) throws -> Double
}

/// Returns the CPU time of the process in microseconds.
func cpuMicroseconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// Returns the CPU time of a call in microseconds, divided by the number of units of work in it.
func cost<Failure: Error>(of count: Int = 1, _ body: () throws(Failure) -> Void) throws(Failure) -> Double {
  let start = cpuMicroseconds()
  try body()
  return (cpuMicroseconds() - start) / Double(count)
}

/// A record with indexes.
final class Entry: StoredObject {
  var number = 0
  var group = 0
  var text = ""

  override class var indexes: [Index] { [Index(\Entry.number), Index(\Entry.group)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    number = try buffer.readInt()
    group = try buffer.readInt()
    text = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(number)
    buffer.writeInt(group)
    buffer.writeString(text)
  }
}

/// A record that refers to the one before it.
final class Revision: StoredObject {
  var parent: Revision?

  override func readContent(from buffer: inout DataBuffer) throws { parent = try buffer.readReference(Revision.self) }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeReference(parent) }
}

/// A record of any size.
final class Recording: StoredObject {
  var samples = Data()

  override func readContent(from buffer: inout DataBuffer) throws { samples = try buffer.readData() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeData(samples) }
}

/// A task that failed, or a result that is not what it should be.
struct WrongResult: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw WrongResult(message()) }
}

extension Store {
  /// Opens a store with a number of entries, whose groups `group` determines.
  static func withEntries(_ path: String, _ count: Int, group: (Int) -> Int) throws -> Store {
    let store = try Store(.directory(path), classes: [Entry.self])
    for number in 0..<count {
      let entry = Entry()
      (entry.number, entry.group, entry.text) = (number, group(number), "entry \(number)")
      try store.insert(entry)
    }
    try store.saveChanges()
    return store
  }
}

/// Waits for an asynchronous call.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
  let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      let result = try await body()
      outcome.withLock { $0 = .success(result) }
    } catch {
      outcome.withLock { $0 = .failure(error) }
    }
    isDone.signal()
  }
  isDone.wait()
  guard let outcome = outcome.withLock({ $0 }) else { throw WrongResult("The task has no result.") }
  return try outcome.get()
}
