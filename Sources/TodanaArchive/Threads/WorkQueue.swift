internal import Foundation

/// A queue from one thread to several others.
final class WorkQueue<Element: Sendable>: @unchecked Sendable {
  /// Guards all properties below.
  private let condition = NSCondition()
  private let limit: Int
  /// The elements in order; those before ``first`` are taken, and nil.
  private var elements: [Element?] = []
  private var first = 0
  private var isComplete = false
  private var hasStopped = false

  private var count: Int { elements.count - first }

  /// Creates a queue of at most `limit` elements; without a limit by default.
  init(limit: Int = .max) { self.limit = limit }

  /// Adds an element, after waiting for room; returns false after ``stop()``.
  func add(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while !hasStopped, count >= limit { condition.wait() }
    if hasStopped { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Declares that no more elements will be added.
  func complete() {
    condition.lock()
    isComplete = true
    condition.broadcast()
    condition.unlock()
  }

  /// Takes the next element, after waiting for one; returns nil after the last element, and after ``stop()``.
  func take() -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while !hasStopped, count == 0, !isComplete { condition.wait() }
    guard !hasStopped, count > 0 else { return nil }
    // The memory of the element is released by the thread that works on it.
    let element = elements[first].take()
    first += 1
    if first == elements.count || first >= 64 {
      elements.removeFirst(first)
      first = 0
    }
    condition.broadcast()
    return element
  }

  /// Drops all elements, and ends all waiting.
  func stop() {
    condition.lock()
    hasStopped = true
    elements = []
    first = 0
    condition.broadcast()
    condition.unlock()
  }

  var isStopped: Bool {
    condition.lock()
    defer { condition.unlock() }
    return hasStopped
  }
}
