import Testing

@testable import TodanaArchive

@Suite struct NameClaimsTests {
  private let claims = NameClaims()
  private let name = ContentName(high: 1, low: 2)

  @Test func `the earliest job with equal content brings it`() {
    #expect(claims.claim(name, for: 5))
    #expect(!claims.claim(name, for: 7))
    #expect(!claims.isContested(name))
    #expect(claims.claim(name, for: 3))
    #expect(!claims.claim(name, for: 4))
    #expect(claims.isContested(name))
  }

  @Test func `a name is contested until all jobs that may bring it have come`() {
    #expect(claims.claim(name, for: 5))
    #expect(claims.claim(name, for: 3))
    #expect(claims.claim(name, for: 2))
    claims.forget([name], before: 4)
    #expect(claims.isContested(name))
    claims.forget([], before: 6)
    #expect(!claims.isContested(name))
    #expect(claims.claim(name, for: 8))
  }

  @Test func `content that was found to be stored is claimed by nobody`() {
    #expect(claims.claim(name, for: 5))
    claims.drop(name, of: 6)
    #expect(!claims.claim(name, for: 7))
    claims.drop(name, of: 5)
    #expect(claims.claim(name, for: 7))
  }
}
