internal import Foundation

/// Hands work from one thread to others; who adds waits where much is there already.
final class WorkQueue<Element: Sendable>: @unchecked Sendable {
  /// Guards all that follows.
  private let condition = NSCondition()
  private let limit: Int
  private var elements: [Element] = []
  private var isComplete = false
  private var hasStopped = false

  /// Holds at most `limit` elements.
  init(limit: Int) { self.limit = limit }

  /// Adds an element, or waits until there is room; false after ``stop()``.
  func add(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while !hasStopped, elements.count >= limit { condition.wait() }
    if hasStopped { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// No more elements come.
  func complete() {
    condition.lock()
    isComplete = true
    condition.broadcast()
    condition.unlock()
  }

  /// The next element; nil where no more come, or after ``stop()``.
  func take() -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while !hasStopped, elements.isEmpty, !isComplete { condition.wait() }
    guard !hasStopped, !elements.isEmpty else { return nil }
    let element = elements.removeFirst()
    condition.broadcast()
    return element
  }

  /// Drops what was not taken: nobody waits from now on.
  func stop() {
    condition.lock()
    hasStopped = true
    elements = []
    condition.broadcast()
    condition.unlock()
  }

  var isStopped: Bool {
    condition.lock()
    defer { condition.unlock() }
    return hasStopped
  }
}
