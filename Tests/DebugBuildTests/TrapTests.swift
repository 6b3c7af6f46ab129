// Misuse that only debug builds detect, or report with a message.
#if DEBUG
  import TestSupport
  import Testing
  import Todana
  import TodanaArchive

  @Suite struct TrapTests {
    @Test func `saving a fault traps`() async {
      await #expect(processExitsWith: .failure) {
        let backend = FaultyBackend()
        let writer = try Store(backend: backend, classes: [Song.self])
        let id = try writer.insert(Song("a"))
        try writer.saveChanges()
        let store = try Store(backend: backend, classes: [Song.self])
        let fault = try store.fault(id)
        fault.willUpdate()
        fault.seconds = 5
        try store.saveChanges()
      }
    }

    @Test func `leaving a directory that was not entered traps with a message`() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var filter = FileFilter(FilterOptions(), device: 1)
        filter.leave()
      }
      try expect(result, says: "leave() without enter().")
    }

    @Test func `entering a path instead of a name traps with a message`() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var filter = FileFilter(FilterOptions(), device: 1)
        filter.enter(Array("a/b".utf8))
      }
      try expect(result, says: "A name to enter is empty or has a slash.")
    }

    private func expect(_ result: ExitTest.Result?, says message: String) throws {
      let output = try #require(result).standardErrorContent
      #expect(String(decoding: output, as: UTF8.self).contains(message))
    }
  }
#endif
