import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// A sequence of random operations, with the expected contents.
final class BagSequence {
  struct Mismatch: Error, CustomStringConvertible { let description: String }
  private struct Refusal: Error {}

  struct BagState: Equatable {
    var name: String?
    var members: Set<Int>
  }

  /// The contents of a store: the titles of the objects, and the bags by their keys.
  struct Contents: Equatable {
    var objects: Set<Int> = []
    var bags: [UUID: BagState] = [:]

    mutating func delete(_ object: Int) {
      objects.remove(object)
      for key in bags.keys { bags[key]?.members.remove(object) }
    }
  }

  let stores: BagStores
  let store: Store
  let other: Store
  var random: SeededGenerator
  var saved = Contents()
  var current = Contents()
  var objects: [Int: StoredObject] = [:]
  var bags: [UUID: Bag] = [:]
  var lastTitle = 0
  var log: [String] = []

  /// The contents before the levels that can be undone, and after those that were undone.
  var former: [Contents] = []
  var undone: [Contents] = []

  init(seed: UInt64, over kind: EveryBackend, undoes: Bool = false) throws {
    random = SeededGenerator(seed: seed)
    stores = try BagStores(kind)
    store = try stores.open()
    other = try stores.open()
    // The first document makes the collection, in a commit of its own.
    if undoes {
      let first = try store.documents("d").insert([:])
      try store.saveChanges()
      try store.delete(first)
      try store.saveChanges()
      store.undoStack = UndoStack(levels: 1_000)
    }
  }

  func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  func someObject() -> Int? { current.objects.sorted().randomElement(using: &random) }

  func someBag() throws -> (UUID, Bag)? {
    let keys = current.bags.keys.sorted { $0.uuidString < $1.uuidString }
    // Keys are random, so the order of inserts makes a sequence repeatable.
    let inOrder = try store.bags().map(\.key).filter(keys.contains)
    guard let key = inOrder.randomElement(using: &random), let bag = bags[key] else { return nil }
    return (key, bag)
  }

  func newObject(inserted: Bool) throws -> (Int, StoredObject) {
    lastTitle += 1
    let title = "\(lastTitle)"
    if inserted, number(0..<2) == 0 { return (lastTitle, try store.documents("d").insert(["title": .init(title)])) }
    let song = Song(title)
    if inserted { try store.insert(song) }
    return (lastTitle, song)
  }

  // MARK: Steps

  func step() throws {
    switch number(0..<20) {
    case 0: try insertBag()
    case 1: try insertObject()
    case 2...8: try changeBag()
    case 9: try deleteObject()
    case 10: if number(0..<3) == 0 { try deleteBag() }
    case 11, 12:
      log.append("save")
      try store.saveChanges()
      saved = current
    case 13:
      log.append("discard")
      store.discardChanges()
      current = saved
    case 14: try undoChangesOfBag()
    case 15: try changeElsewhere()
    case 16: try deleteElsewhere()
    case 17:
      let former = current
      log.append("savepoint")
      do {
        try store.savepoint {
          for _ in 0..<3 { try changeBag() }
          if let title = someObject(), let object = objects[title] {
            try store.delete(object)
            current.delete(title)
          }
          throw Refusal()
        }
      } catch is Refusal { current = former }
      log.append("end of savepoint")
    case 18:
      guard let (_, bag) = try someBag() else { return }
      log.append("deflate or inflate")
      if number(0..<2) == 0 { bag.deflate() } else { try bag.inflate() }
    default:
      log.append("faults")
      try store.turnCleanObjectsIntoFaults()
    }
  }

  func insertBag() throws {
    let name: String? = number(0..<3) == 0 ? nil : "n\(number(0..<3))"
    let members = current.objects.sorted().filter { _ in number(0..<3) == 0 }
    let bag = try Bag(name: name, objects: members.compactMap { objects[$0] })
    try store.insert(bag)
    bags[bag.key] = bag
    current.bags[bag.key] = BagState(name: name, members: Set(members))
    log.append("bag \(name ?? "-") \(members)")
  }

  func insertObject() throws {
    let (title, object) = try newObject(inserted: true)
    objects[title] = object
    current.objects.insert(title)
    log.append("object \(title)")
  }

  func deleteObject() throws {
    guard let title = someObject(), let object = objects[title] else { return }
    log.append("delete \(title)")
    try store.delete(object)
    current.delete(title)
  }

  func deleteBag() throws {
    guard let (key, bag) = try someBag() else { return }
    log.append("delete bag")
    try store.delete(bag)
    current.bags[key] = nil
  }

  func undoChangesOfBag() throws {
    guard let (key, bag) = try someBag() else { return }
    log.append("undo changes of \(bag)")
    try bag.undoChanges()
    if let former = saved.bags[key] {
      current.bags[key] = BagState(name: former.name, members: former.members.intersection(current.objects))
    } else {
      current.bags[key]?.members = []
    }
  }

  func changeBag() throws {
    guard let (key, bag) = try someBag(), var state = current.bags[key] else { return }
    switch number(0..<8) {
    case 0, 1:
      guard let title = someObject(), let object = objects[title] else { return }
      log.append("add \(title) to \(bag)")
      try bag.add(object)
      state.members.insert(title)
    case 2:
      let (title, object) = try newObject(inserted: false)
      log.append("add new \(title) to \(bag)")
      try bag.add(object)
      objects[title] = object
      current.objects.insert(title)
      state.members.insert(title)
    case 3, 4:
      guard let title = state.members.sorted().randomElement(using: &random), let object = objects[title] else {
        return
      }
      log.append("remove \(title) from \(bag)")
      try bag.remove(object)
      state.members.remove(title)
    case 5:
      let removed = state.members.sorted().filter { _ in number(0..<2) == 0 }
      log.append("remove \(removed) from \(bag)")
      try bag.remove(contentsOf: removed.compactMap { objects[$0]?.anyID })
      state.members.subtract(removed)
    case 6:
      state.name = number(0..<3) == 0 ? nil : "n\(number(0..<3))"
      log.append("name \(bag) \(state.name ?? "-")")
      bag.name = state.name
    default:
      guard number(0..<3) == 0 else { return }
      log.append("remove all from \(bag)")
      try bag.removeAll()
      state.members = []
    }
    current.bags[key] = state
  }

  /// Changes a saved bag in the other store, and reloads it.
  func changeElsewhere() throws {
    guard let (key, bag) = try someBag(), var theirs = saved.bags[key], let mine = current.bags[key] else { return }
    let same = try #require(try other.bag(key: key))
    try same.reload()
    let common = saved.objects.intersection(current.objects).sorted()
    for title in common where number(0..<3) == 0 {
      guard let id = objects[title]?.anyID, let object = try fetch(id, in: other) else { continue }
      if theirs.members.contains(title) {
        try same.remove(object)
        theirs.members.remove(title)
      } else {
        try same.add(object)
        theirs.members.insert(title)
      }
    }
    log.append("change \(bag) elsewhere to \(theirs.members.sorted())")
    try other.saveChanges()
    let former = saved.bags[key]?.members ?? []
    let additions = mine.members.subtracting(former)
    let removals = former.subtracting(mine.members)
    saved.bags[key] = theirs
    try bag.reload()
    current.bags[key] = BagState(name: mine.name, members: theirs.members.subtracting(removals).union(additions))
  }

  /// Deletes an object in the other store if this one has no changes.
  func deleteElsewhere() throws {
    guard !store.hasUnsavedChanges, let title = someObject(), let id = objects[title]?.anyID,
      let object = try fetch(id, in: other)
    else { return }
    log.append("delete \(title) elsewhere")
    try other.refresh()
    try other.delete(object)
    try other.saveChanges()
    saved.delete(title)
    current = saved
    try store.refresh()
  }

  func fetch(_ id: AnyObjectID, in store: Store) throws -> StoredObject? {
    // The collection has to be known to the store.
    _ = try store.documents("d").count()
    return try store.fetch(id)
  }
}
