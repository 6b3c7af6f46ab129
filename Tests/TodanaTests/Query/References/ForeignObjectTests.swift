// Conditions with objects and identities that do not belong to the store or to the property.
import TestSupport
import Testing
import Todana

private final class Mug: StoredObject {
  var hook: Hook?
  var hooks: [Hook] = []

  override class var fields: [Field] { [Field("hook", \Mug.hook), Field("hooks", \Mug.hooks)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    hook = try buffer.readReference()
    hooks = try buffer.readReferences(Hook.self)
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeReference(hook)
    buffer.writeReferences(hooks)
  }
}

private final class Hook: StoredObject {
  override func readContent(from buffer: inout DataBuffer) throws {}
  override func writeContent(to buffer: inout DataBuffer) {}
}

struct ForeignObjectTests {
  private let store: Store
  private let mug = Mug()
  private let hook = Hook()

  init() throws { (store, _, _) = try Self.fill(mug, hook) }

  private static func fill(_ mug: Mug, _ hook: Hook) throws -> (Store, Mug, Hook) {
    let store = try Store(.inMemory, classes: [Mug.self, Hook.self])
    (mug.hook, mug.hooks) = (hook, [hook])
    try store.insert(contentsOf: [mug, hook] as [StoredObject])
    try store.saveChanges()
    return (store, mug, hook)
  }

  private func expect(_ code: StoreError.Code, _ query: Query<Mug>) {
    #expect { try store.fetch(query) } throws: { ($0 as? StoreError)?.code == code }
  }

  @Test func `an object of another store is refused, even if its identity is in use here`() throws {
    let (other, _, foreign) = try Self.fill(Mug(), Hook())
    #expect(foreign.anyID == hook.anyID)
    expect(.objectOfOtherStore, Mug.where { $0.hook == foreign })
    expect(.objectOfOtherStore, Mug.where { $0.hook != foreign })
    expect(.objectOfOtherStore, Mug.where { $0.hook.isIn([hook, foreign]) })
    expect(.objectOfOtherStore, Mug.where { $0.hooks.contains(foreign) })
    try other.close()
  }

  @Test func `an object of another store over the same backend is that object`() throws {
    let second = try Store(backend: store.backend, classes: [Mug.self, Hook.self])
    let same = try #require(try second.fetch(hook.id))
    #expect(try store.fetch(Mug.where { $0.hook == same && $0.hooks.contains(same) }) == [mug])
  }

  @Test func `an identity of another class is refused`() throws {
    let id = try #require(mug.anyID)
    expect(.invalidQuery, try Mug.where("hook = ?", id))
    expect(.invalidQuery, try Mug.where("hook IN (?, ?)", hook.anyID, id))
    expect(.invalidQuery, try Mug.where("hook = '\(id)'"))
    expect(.invalidQuery, try Mug.where("hooks CONTAINS ?", id))
    #expect(try store.fetch(Mug.where("hook = ?", hook.id)) == [mug])
    #expect(try store.fetch(Mug.where("hook = NULL")) == [])
  }

  @Test func `a position of another query is refused`() throws {
    let position = try #require(Mug.all.sorted(by: \.hook?.id).position(of: mug))
    expect(.invalidQuery, Mug.all.after(position))
    expect(.invalidQuery, Mug.all.sorted(by: \.hooks.count).after(position))
    #expect(throws: StoreError.self) { try store.fetch(Hook.all.after(position)) }
  }
}
