import Testing

@testable import TodanaArchive

@Suite struct OrderedResultsTests {
  private struct Failure: Error {}

  private let results = OrderedResults<String>(byteLimit: 100)

  private func next() throws -> String? {
    switch try results.next(within: 10) {
    case .result(let result): result
    case .nothing: "nothing"
    case .end: nil
    }
  }

  @Test func `results come in the order of their jobs`() throws {
    let numbers = (0..<3).compactMap { _ in results.start(byteCount: 10) }
    #expect(numbers == [0, 1, 2])
    results.complete()
    results.finish("c", of: 2, byteCount: 1, after: 10)
    results.finish("a", of: 0, byteCount: 1, after: 10)
    #expect(try next() == "a")
    results.finish("b", of: 1, byteCount: 1, after: 10)
    #expect(try next() == "b")
    #expect(try next() == "c")
    #expect(try next() == nil)
  }

  @Test func `no result is delivered while a job is not finished`() throws {
    #expect(results.start(byteCount: 10) == 0)
    guard case .nothing = try results.next(within: 0.01) else {
      Issue.record("A result came without a finished job.")
      return
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a job waits until results are delivered, and the first is never too large`()
    throws
  {
    #expect(results.start(byteCount: 1000) == 0)
    let threads = WorkingThreads()
    let hasStarted = Flag()
    try threads.start { [results, hasStarted] in
      if results.start(byteCount: 60) == 1 { hasStarted.set() }
    }
    #expect(!threads.wait(within: 0.05))
    // The result counts against the limit as well, until it is delivered.
    results.finish("a", of: 0, byteCount: 50, after: 1000)
    #expect(!threads.wait(within: 0.05))
    #expect(try next() == "a")
    threads.wait()
    #expect(hasStarted.isSet)
  }

  @Test(.timeLimit(.minutes(1))) func `stopping ends all waiting, and the first error is thrown`() throws {
    #expect(results.start(byteCount: 100) == 0)
    let threads = WorkingThreads()
    try threads.start { [results] in _ = results.start(byteCount: 60) }
    results.stop(Failure())
    results.stop(CancellationError())
    threads.wait()
    #expect(results.start(byteCount: 1) == nil)
    #expect(throws: Failure.self) { try results.next(within: 10) }
  }

  @Test func `a queue gives each element once, in order, and nothing after it was stopped`() {
    let queue = WorkQueue<Int>()
    for number in 0..<200 { #expect(queue.add(number)) }
    #expect((0..<150).map { _ in queue.take() } == Array(0..<150))
    #expect(queue.add(200))
    queue.complete()
    #expect((150...200).map { _ in queue.take() } == Array(150...200))
    #expect(queue.take() == nil)
    queue.stop()
    #expect(!queue.add(201) && queue.take() == nil)
  }
}
