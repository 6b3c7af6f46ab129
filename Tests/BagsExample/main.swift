import Foundation
import Todana
import TodanaDocuments

final class Song: StoredObject {
  var title = ""

  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

// `Bag.self` need not be listed.
let store = try Store(.inMemory, classes: [Song.self])
let user = try store.documents("users").insert(["last_name": "Doe"])
let song = Song()
song.title = "So What"

// Members are of any class. A new object is inserted with the bag, and one save writes all.
let bag = try Bag(name: "favourites", objects: [song, user])
try store.insert(bag)
try store.saveChanges()
print(bag.count, bag.contains(song), bag.hasUnsavedChanges)  // 2 true false

// Changes are pending until they are saved.
try bag.remove(song)
print(bag.count, bag.unsavedRemovals.count)  // 1 1
try bag.undoChanges()
print(bag.count)  // 2

// Bags are found by name, by key and by member.
print(try store.bags(named: "favourites").count, try store.bag(key: bag.key) === bag)  // 1 true
print(try store.bags(containing: user).map(\.name))  // [Optional("favourites")]

// A copy has a key of its own.
let copy = try bag.copy()
try store.insert(copy)
print(copy.key == bag.key, try copy.hasSameContent(as: bag))  // false true
try store.saveChanges()

// Another store changes the bag. Reloading keeps the changes of this one.
let other = try Store(backend: store.backend, classes: [Song.self])
try other.bag(key: bag.key)?.removeAll()
try other.saveChanges()
let second = Song()
second.title = "Blue in Green"
try bag.add(second)
try bag.reload()
try store.saveChanges()
print(try bag.objects().compactMap { ($0 as? Song)?.title })  // ["Blue in Green"]

// An object that is deleted leaves all bags.
try store.delete(song)
try store.saveChanges()
print(copy.count, try store.verify().isSound)  // 1 true
