import Testing

@testable import Todana

/// The routes of key paths: within their object, through references, or unknown.
@Suite struct KeyPathRouteTests {
  private func hops(_ keyPath: AnyKeyPath) -> Int? {
    let route = KeyPathRoute.of(keyPath)
    return route.problem == nil ? route.hops.count : nil
  }

  @Test(
    arguments: [
      \Take.name, \Take.record, \Take.extras, \Take.credit, \Take.credit.text, \Take.credit.label, \Take.name.count,
      \Take.number.bitWidth, \Take.self,
    ] as [any AnyKeyPath & Sendable])
  func `properties of the object itself need no other objects`(keyPath: any AnyKeyPath & Sendable) {
    #expect(hops(keyPath) == 0, "\(keyPath)")
  }

  @Test func `properties may have names that the base class uses, too`() {
    #expect(hops(\Shelf.place.room) == 0)
    #expect(hops(\Shelf.next?.place.room) == 1)
  }

  @Test func `each reference on a key path is a hop`() {
    #expect(hops(\Take.record?.name) == 1)
    #expect(hops(\Take.record?.name.count) == 1)
    #expect(hops(\Take.record!.name) == 1)
    #expect(hops(\Take.record?.label?.name) == 2)
    #expect(hops(\Take.record?.label) == 1)
    #expect(hops(\Take.credit.label?.name) == 1)
    let route = KeyPathRoute.of(\Take.record?.label?.name)
    #expect(route.hops.map { "\($0.target)" } == ["Recording", "Label"])
    let (take, record, label) = (Take(), Recording(), Label())
    #expect(route.hops[0].object(of: take) == nil)
    (take.record, record.label) = (record, label)
    #expect(route.hops[0].object(of: take) === record && route.hops[1].object(of: record) === label)
  }

  @Test(
    arguments: [
      \Take.extras.count, \Take.shortName, \Take.recordName, \Take.labelName, \Take.credit.labelName,
      \Take.extras.first?.name,
      \Take.extras[0].name, \Take.record?.isFault, \Take.id, \Medium.nameAndForm, \Medium.labelName,
    ] as [any AnyKeyPath & Sendable])
  func `computed properties have an unknown route`(keyPath: any AnyKeyPath & Sendable) {
    #expect(hops(keyPath) == nil, "\(keyPath)")
  }

  @Test(
    arguments: [\Medium.name, \Medium.form, \Medium.length, \Medium.watched, \Medium.label]
      as [any AnyKeyPath & Sendable])
  func `stored properties that are reached through accessors are the object's own`(keyPath: any AnyKeyPath & Sendable) {
    #expect(hops(keyPath) == 0, "\(keyPath)")
  }
}
