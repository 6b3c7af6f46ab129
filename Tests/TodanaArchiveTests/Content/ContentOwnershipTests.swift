import Testing

@testable import TodanaArchive

@Suite struct ContentOwnershipTests {
  private let ownership = ContentOwnership()
  private let name = ContentName(high: 1, low: 2)

  @Test func `the earliest job with equal content owns it`() {
    #expect(ownership.claim(name, for: 5))
    #expect(!ownership.claim(name, for: 7))
    #expect(!ownership.isContested(name))
    #expect(ownership.claim(name, for: 3))
    #expect(!ownership.claim(name, for: 4))
    #expect(ownership.isContested(name))
  }

  @Test func `a name is contested until the results of all its jobs are stored`() {
    #expect(ownership.claim(name, for: 5))
    #expect(ownership.claim(name, for: 3))
    #expect(ownership.claim(name, for: 2))
    ownership.forget([name], before: 4)
    #expect(ownership.isContested(name))
    ownership.forget([], before: 6)
    #expect(!ownership.isContested(name))
    #expect(ownership.claim(name, for: 8))
  }

  @Test func `only the owner of content can drop its claim`() {
    #expect(ownership.claim(name, for: 5))
    ownership.drop(name, of: 6)
    #expect(!ownership.claim(name, for: 7))
    ownership.drop(name, of: 5)
    #expect(ownership.claim(name, for: 7))
  }
}
