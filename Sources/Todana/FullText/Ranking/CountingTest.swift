internal import Synchronization

/// A test that no object passes, and that counts the words of the objects for their relevance.
///
/// A scan tests each object once, also when several threads help: each counts in a copy of its own.
///
/// Safe to share: only one thread uses a copy, and the sum is taken after the scan.
@safe
final class CountingTest: ConditionTest, @unchecked Sendable {
  private var relevance: Relevance
  private let copies = Mutex<[CountingTest]>([])

  /// - Parameter relevance: The relevance to which the objects are added.
  init(_ relevance: Relevance) { self.relevance = relevance }

  var forOtherThread: any ConditionTest {
    let copy = CountingTest(relevance.forOtherThread)
    copies.withLock { $0.append(copy) }
    return copy
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    try relevance.count(object)
    return false
  }

  /// The relevance with the objects of all threads, after the scan.
  var total: Relevance {
    var total = relevance
    for copy in copies.withLock({ $0 }) { total.add(copy.relevance) }
    return total
  }

  var paths: [PropertyPath] { relevance.paths }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { [] }
  var description: String { "words to count" }
}
