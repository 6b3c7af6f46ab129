import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// Random operations on bags in two stores, compared with sets.
@Suite struct BagModelTests {
  @Test(arguments: RandomSeeds.seeds([1, 2, 3, 4, 5, 6], new: 6, long: 600))
  func `bags agree with sets after random operations of two stores`(seed: UInt64) throws {
    let kind = EveryBackend.allCases[Int(seed % UInt64(EveryBackend.allCases.count))]
    let sequence = try BagSequence(seed: seed, over: kind)
    for number in 0..<150 {
      do {
        try sequence.step()
        try sequence.check()
      } catch {
        Issue.record(
          "Step \(number) of seed \(seed) failed: \(error)\n\(sequence.log.suffix(25).joined(separator: "\n"))")
        return
      }
    }
    try sequence.finish()
  }
}

/// A sequence of random operations, with the expected contents.
final class BagSequence {
  private struct Mismatch: Error, CustomStringConvertible { let description: String }
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

  private let stores: BagStores
  private let store: Store
  private let other: Store
  private var random: SeededGenerator
  private var saved = Contents()
  private var current = Contents()
  private var objects: [Int: StoredObject] = [:]
  private var bags: [UUID: Bag] = [:]
  private var lastTitle = 0
  private(set) var log: [String] = []

  init(seed: UInt64, over kind: EveryBackend) throws {
    random = SeededGenerator(seed: seed)
    stores = try BagStores(kind)
    store = try stores.open()
    other = try stores.open()
  }

  private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  private func someObject() -> Int? { current.objects.sorted().randomElement(using: &random) }

  private func someBag() throws -> (UUID, Bag)? {
    let keys = current.bags.keys.sorted { $0.uuidString < $1.uuidString }
    // Keys are random, so the order of inserts makes a sequence repeatable.
    let inOrder = try store.bags().map(\.key).filter(keys.contains)
    guard let key = inOrder.randomElement(using: &random), let bag = bags[key] else { return nil }
    return (key, bag)
  }

  private func newObject(inserted: Bool) throws -> (Int, StoredObject) {
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
    case 0:
      let name: String? = number(0..<3) == 0 ? nil : "n\(number(0..<3))"
      let members = current.objects.sorted().filter { _ in number(0..<3) == 0 }
      let bag = try Bag(name: name, objects: members.compactMap { objects[$0] })
      try store.insert(bag)
      bags[bag.key] = bag
      current.bags[bag.key] = BagState(name: name, members: Set(members))
      log.append("bag \(name ?? "-") \(members)")
    case 1:
      // The first insert of a document makes the collection, in a commit of its own.
      let (title, object) = try newObject(inserted: true)
      objects[title] = object
      current.objects.insert(title)
      log.append("object \(title)")
    case 2...8: try changeBag()
    case 9:
      guard let title = someObject(), let object = objects[title] else { return }
      log.append("delete \(title)")
      try store.delete(object)
      current.delete(title)
    case 10:
      guard number(0..<3) == 0, let (key, bag) = try someBag() else { return }
      log.append("delete bag")
      try store.delete(bag)
      current.bags[key] = nil
    case 11, 12:
      log.append("save")
      try store.saveChanges()
      saved = current
    case 13:
      log.append("discard")
      store.discardChanges()
      current = saved
    case 14:
      guard let (key, bag) = try someBag() else { return }
      log.append("undo changes of \(bag)")
      try bag.undoChanges()
      if let former = saved.bags[key] {
        current.bags[key] = BagState(name: former.name, members: former.members.intersection(current.objects))
      } else {
        current.bags[key]?.members = []
      }
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

  private func changeBag() throws {
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
  private func changeElsewhere() throws {
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
  private func deleteElsewhere() throws {
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

  private func fetch(_ id: AnyObjectID, in store: Store) throws -> StoredObject? {
    // The collection has to be known to the store.
    _ = try store.documents("d").count()
    return try store.fetch(id)
  }

  // MARK: Checks

  func check() throws {
    try compare(store.bags(), current)
    for (key, bag) in bags where current.bags[key] != nil && saved.bags[key] != nil {
      let isChanged = current.bags[key] != saved.bags[key]
      if bag.hasUnsavedChanges != isChanged { throw Mismatch(description: "\(bag) has unsaved changes: \(!isChanged)") }
      let removed = Set(bag.unsavedRemovals)
      let expected = (saved.bags[key]?.members ?? []).subtracting(current.bags[key]?.members ?? []).count
      if removed.count != expected { throw Mismatch(description: "\(removed.count) removals, not \(expected)") }
    }
    if let title = someObject(), let object = objects[title] {
      let found = try Set(store.bags(containing: object).map(\.key))
      let expected = Set(current.bags.filter { $0.value.members.contains(title) }.keys)
      if found != expected { throw Mismatch(description: "\(title) is in \(found.count) bags, not \(expected.count)") }
    }
    let found = try store.bags(named: "n0").count
    let expected = current.bags.values.count { $0.name == "n0" }
    if found != expected { throw Mismatch(description: "\(found) bags are named n0, not \(expected)") }
  }

  private func compare(_ bags: [Bag], _ contents: Contents) throws {
    if Set(bags.map(\.key)) != Set(contents.bags.keys) { throw Mismatch(description: "There are other bags.") }
    for bag in bags {
      guard let state = contents.bags[bag.key] else { continue }
      let members = try Set(bag.titles().compactMap { Int($0) })
      if members != state.members || bag.name != state.name || bag.count != members.count {
        throw Mismatch(
          description: "\(bag) has \(members.sorted()), not \(state.members.sorted()), \(state.name ?? "-")")
      }
    }
  }

  func finish() throws {
    try store.saveChanges()
    #expect(try store.verify().isSound)
    let third = try stores.open()
    try compare(third.bags(), current)
    #expect(try third.count(Song.self) + third.documents("d").count() == current.objects.count)
    try store.close()
    try other.close(discarding: true)
  }
}
