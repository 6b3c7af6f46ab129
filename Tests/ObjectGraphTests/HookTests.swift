import TestSupport
import Testing
import Todana

/// An object that notes the calls of its hooks, and refuses chosen ones.
final class Watched: StoredObject {
  struct Refusal: Error, Equatable { let hook: String }

  var name = ""
  var calls: [String] = []
  var refused: String?

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }

  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }

  private func note(_ hook: String) throws {
    calls.append(hook)
    if refused == hook { throw Refusal(hook: hook) }
  }

  override func prepareForDelete(in store: Store) throws { try note("prepareForDelete") }
  override func willInsert(into store: Store) throws { try note("willInsert") }
  override func willUpdate(in store: Store) throws { try note("willUpdate") }
  override func willDelete(from store: Store) throws { try note("willDelete") }
  override func willSave(in store: Store) throws {
    if refused == "change" { name += "!" }
    try note("willSave")
  }
  override func didInsert(into store: Store) { calls.append("didInsert") }
  override func didUpdate(in store: Store) { calls.append("didUpdate") }
  override func didDelete(from store: Store) { calls.append("didDelete") }
  override func didSave(in store: Store) { calls.append("didSave") }
}

/// Overrides one hook only, and inherits another one.
private class FewHooks: StoredObject {
  nonisolated(unsafe) static var calls = 0
  override func didInsert(into store: Store) { unsafe Self.calls += 1 }
}
private final class MoreHooks: FewHooks {
  nonisolated(unsafe) static var deletes = 0
  override func prepareForDelete(in store: Store) throws { unsafe Self.deletes += 1 }
}
private final class NoHooks: StoredObject {}

/// A delegate that notes its calls, and refuses chosen ones.
private final class Delegate: StoreDelegate {
  var calls: [String] = []
  var refused: String?

  private func note(_ hook: String) throws {
    calls.append(hook)
    if refused == hook { throw Watched.Refusal(hook: hook) }
  }

  func store(_ store: Store, willInsert object: StoredObject) throws { try note("willInsert") }
  func store(_ store: Store, willUpdate object: StoredObject) throws { try note("willUpdate") }
  func store(_ store: Store, willDelete object: StoredObject) throws { try note("willDelete") }
  func storeWillSave(_ store: Store) throws { try note("willSave") }
  func store(_ store: Store, didInsert object: StoredObject) { calls.append("didInsert") }
  func store(_ store: Store, didUpdate object: StoredObject) { calls.append("didUpdate") }
  func store(_ store: Store, didDelete object: StoredObject) { calls.append("didDelete") }
  func storeDidSave(_ store: Store) { calls.append("didSave") }
}

@Suite(.overEveryBackend) final class HookTests {
  private let stores: Stores
  private let store: Store
  private let delegate = Delegate()

  init() throws {
    stores = try Stores(classes: [Watched.self, FewHooks.self, MoreHooks.self, NoHooks.self])
    store = try stores.open()
  }

  deinit { try? store.close(discarding: true) }

  @Test func `hooks are called in order`() throws {
    store.delegate = delegate
    let object = Watched("A")
    try store.insert(object)
    try store.saveChanges()
    #expect(object.calls == ["willInsert", "willSave", "didInsert", "didSave"])
    #expect(delegate.calls == ["willInsert", "willSave", "didInsert", "didSave"])
    (object.calls, delegate.calls) = ([], [])
    try store.update(object) { $0.name = "B" }
    try store.update(object) { $0.name = "C" }
    try store.saveChanges()
    #expect(object.calls == ["willUpdate", "willSave", "didUpdate", "didSave"])
    #expect(delegate.calls == ["willUpdate", "willSave", "didUpdate", "didSave"])
    (object.calls, delegate.calls) = ([], [])
    try store.delete(object)
    try store.saveChanges()
    #expect(object.calls == ["willDelete", "prepareForDelete", "didDelete"])
    #expect(delegate.calls == ["willDelete", "willSave", "didDelete", "didSave"])
  }

  @Test func `hooks are called by asynchronous saves`() async throws {
    let object = Watched("A")
    try store.insert(object)
    try await store.save()
    #expect(object.calls == ["willInsert", "willSave", "didInsert", "didSave"])
  }

  @Test(arguments: [false, true])
  func `an insert can be refused`(byDelegate: Bool) throws {
    let object = Watched("A")
    store.delegate = delegate
    if byDelegate { delegate.refused = "willInsert" } else { object.refused = "willInsert" }
    let error = #expect(throws: StoreError.self) { try store.insert(object) }
    #expect(error?.code == .vetoed && error?.underlying as? Watched.Refusal == Watched.Refusal(hook: "willInsert"))
    #expect(object.id == nil && !store.hasUnsavedChanges)
    #expect(throws: StoreError.self) { try store.insert(contentsOf: [Watched("B"), object]) }
    #expect(try !store.hasUnsavedChanges && store.count(Watched.self) == 0)
  }

  @Test(arguments: [false, true])
  func `an update can be refused`(byDelegate: Bool) throws {
    let object = Watched("A")
    store.delegate = delegate
    try store.insert(object)
    try store.saveChanges()
    if byDelegate { delegate.refused = "willUpdate" } else { object.refused = "willUpdate" }
    #expect(throws: Watched.Refusal(hook: "willUpdate")) { try store.update(object) { $0.name = "B" } }
    #expect(object.name == "A" && !store.hasUnsavedChanges)
    object.willUpdate()
    let error = #expect(throws: StoreError.self) { try store.count(Watched.self) }
    #expect(error?.code == .vetoed && !store.hasUnsavedChanges)
  }

  @Test(arguments: [false, true], ["willDelete", "prepareForDelete"])
  func `a delete can be refused`(byDelegate: Bool, hook: String) throws {
    let (object, other) = (Watched("A"), Watched("B"))
    store.delegate = delegate
    for object in [object, other] { try store.insert(object) }
    try store.saveChanges()
    if byDelegate, hook == "willDelete" { delegate.refused = hook } else { object.refused = hook }
    #expect(throws: Watched.Refusal(hook: hook)) { try store.delete(object) }
    #expect(throws: Watched.Refusal(hook: hook)) { try store.delete([other, object]) }
    #expect(throws: Watched.Refusal(hook: hook)) { try store.delete(Watched.all) }
    #expect(try store.count(Watched.self) == 2 && !store.hasUnsavedChanges)
    guard hook == "willDelete" else { return }
    let error = #expect(throws: StoreError.self) { try store.delete([other, object].compactMap(\.id)) }
    #expect(error?.code == .vetoed)
    #expect(throws: StoreError.self) { try store.removeAll(Watched.self) }
    #expect(try store.count(Watched.self) == 2 && !store.hasUnsavedChanges)
  }

  @Test(arguments: [false, true])
  func `a save can be refused`(byDelegate: Bool) throws {
    let object = Watched("A")
    store.delegate = delegate
    if byDelegate { delegate.refused = "willSave" } else { object.refused = "willSave" }
    try store.insert(object)
    #expect(throws: Watched.Refusal(hook: "willSave")) { try store.saveChanges() }
    #expect(try store.hasUnsavedChanges && store.count(Watched.self, includingPending: false) == 0)
    (object.refused, delegate.refused) = ("change", nil)
    try store.saveChanges()
    let again = try stores.open()
    defer { try? again.close() }
    #expect(try again.fetch(Watched.self).map(\.name) == ["A!"])
  }

  @Test func `a refused change leaves nothing to undo`() throws {
    let (object, refused) = (Watched("A"), Watched("B"))
    try store.insert(object)
    try store.saveChanges()
    let stack = UndoStack()
    store.undoStack = stack
    (refused.refused, object.refused) = ("willInsert", "willUpdate")
    #expect(throws: StoreError.self) { try store.insert(refused) }
    #expect(throws: Watched.Refusal.self) { try store.update(object) { $0.name = "B" } }
    object.refused = "willDelete"
    #expect(throws: Watched.Refusal.self) { try store.delete(object) }
    #expect(throws: StoreError.self) { try store.delete([try #require(object.id)]) }
    #expect(!stack.canUndo && !store.hasUnsavedChanges)
  }

  @Test func `only the hooks that a class overrides are called`() throws {
    let (before, deletes) = unsafe (FewHooks.calls, MoreHooks.deletes)
    let objects = [FewHooks(), MoreHooks(), NoHooks()]
    for object in objects { try store.insert(object) }
    try store.saveChanges()
    let ids = objects.compactMap(\.anyID)
    // A fault stays one if its class has no hook for deletes.
    let other = try stores.open()
    defer { try? other.close(discarding: true) }
    try other.delete(ids)
    for object in objects { try store.delete(object) }
    try store.saveChanges()
    #expect(unsafe FewHooks.calls - before == 2 && MoreHooks.deletes - deletes == 1)
  }
}
