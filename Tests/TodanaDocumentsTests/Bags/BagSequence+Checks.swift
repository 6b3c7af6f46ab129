import Foundation
import Testing
import Todana
import TodanaDocuments

// Undoing, and the comparison with the expected contents.
extension BagSequence {
  /// Makes a change that can be undone, saves, undoes, or redoes.
  func stepWithUndo() throws {
    switch number(0..<10) {
    case 0:
      log.append("save")
      try store.saveChanges()
      saved = current
    case 1, 2:
      guard let state = former.popLast() else { return }
      log.append("undo")
      try store.undo()
      undone.append(current)
      current = state
    case 3:
      guard let state = undone.popLast() else { return }
      log.append("redo")
      try store.redo()
      former.append(current)
      current = state
    default:
      let before = current
      let name = "\(log.count)"
      try store.undoGroup(name) {
        switch number(0..<8) {
        case 0: try insertBag()
        case 1: try insertObject()
        case 2: try deleteObject()
        case 3: try deleteBag()
        case 4: try undoChangesOfBag()
        default: try changeBag()
        }
      }
      // A step without a change makes no level.
      guard store.undoStack?.undoName == name else { return }
      former.append(before)
      undone = []
    }
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
