// Conditions and queries, each in its usual forms.
import Todana

nonisolated final class Track: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var genre: String?
  var isFavourite = false
  var isHidden: Bool? = nil
  var record: Record?
  var owner: ObjectID<Record>?

  override class var indexes: [Index] {
    [
      Index(\Track.title, where: { $0.isFavourite }), Index(\Track.title, \Track.seconds, where: { $0.seconds > 3 }),
      Index(.folded(\Track.title), where: { (track: Properties<Track>) in track.isFavourite }),
      Index(.folded(\Track.title), name: "long", where: { (track: Properties<Track>) in track.seconds > 200 }),
      Index(\Track.owner),
    ]
  }
}

nonisolated final class Record: StoredObject {
  var title = ""
  var tracks: [Track] = []
  var others = LazyReferences<Track>()
  var guests: Set<Track> = []
}

/// A class with an `id` of its own.
nonisolated final class Customer: StoredObject {
  var id = 0
  var name = ""
}

func fourteenConditions() -> Query<Track> {
  Track.where {
    $0.seconds > 1 && $0.seconds < 2 && $0.title == "a" && $0.title.hasPrefix("b") && !$0.isFavourite && $0.genre == nil
      && $0.genre != "x" && ($0.seconds == 3 || $0.title == "c") && $0.seconds >= 4 && $0.title != "d"
      && $0.seconds <= 9 && $0.genre == "e" && $0.title.contains("f") && $0.isFavourite
  }
}

func conditions(_ track: Track, _ id: ObjectID<Track>, _ record: Record, _ recordID: ObjectID<Record>) {
  _ = Track.where { $0.isFavourite }
  _ = Track.where { !$0.isFavourite && $0.isFavourite }
  _ = Track.where { $0.seconds > 2 }.where { $0.isFavourite }.where { track in track.title == "x" }
  _ = Track.where { _ in .always }
  // Identities.
  _ = Track.where { $0.id == id }
  _ = Track.where { $0.id == track.id }
  _ = Track.where { $0.id != id && $0.seconds > 3 }
  _ = Track.where { $0.id.isIn([id]) || $0.title == "x" }
  _ = Track.where { $0.owner == recordID }
  _ = Track.where { $0.owner.isIn([recordID, nil]) }
  _ = Customer.where { $0.name == "x" && $0.id == 5 && $0.id > 3 && $0.id.isIn([1, 2]) }
  // References.
  _ = Track.where { $0.record == record && $0.record != nil }
  _ = Track.where { $0.record == recordID || $0.record != recordID }
  _ = Track.where { $0.record.isIn([record, record]) }
  _ = Track.where { $0.record.isIn([record, nil]) }
  _ = Track.where { $0.record.isIn([recordID]) }
  _ = Track.where { $0.record.title == "x" }
  // Lists of references.
  _ = Record.where { $0.tracks.contains(track) && $0.others.contains(track) && $0.guests.contains(track) }
  _ = Record.where { $0.tracks.contains(id) || $0.others.contains(id) || $0.guests.contains(id) }
  _ = Record.where { $0.tracks.contains { $0.title == "x" } }
  _ = Record.where { $0.others.contains { $0.title == "x" && $0.seconds > 3 } }
  _ = Record.where { $0.guests.contains { $0.isFavourite } }
  _ = Record.where { !$0.tracks.contains { !($0.seconds > 200) } }
  _ = Record.where { $0.tracks.count > 2 && $0.others.count == 0 && $0.guests.count < 3 && !$0.tracks.isEmpty }
  _ = Record.where { $0.tracks.contains { $0.record.title == "x" } }
  // Texts.
  _ = Track.where { $0.title.folded == "ecoute" || $0.genre.folded.contains("x") }
  _ = Track.where { $0.title.caseInsensitive == "écoute" || $0.genre.caseInsensitive.isIn(["jazz", nil]) }
  _ = Track.where { $0.title.like("B%") && $0.genre.caseInsensitive.like("j_zz") && $0.title.folded.like("%ecoute%") }
  _ = Track.where { $0.title.matches(regex: "[A-Z].*") || $0.genre.contains(regex: "a+") }
  _ = Track.where { $0.title.caseInsensitive.matches(regex: "so what|blue.*") }
}
