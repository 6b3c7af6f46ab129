import Foundation
import Todana

/// A class with indexes of all kinds, for tests of queries.
final class Piece: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var genre: String?
  var isrc: String?
  var rating: Double = 0
  var isFavourite = false
  var tags: [String] = []
  var album: Disc?

  override class var indexes: [Index] {
    [
      Index(\Piece.seconds), Index(\Piece.genre, \Piece.title), Index(\Piece.isrc, unique: true),
      Index(.folded(\Piece.title)), Index(\Piece.genre, .descending(\Piece.rating)), Index(each: \Piece.tags),
      Index(\Piece.album), Index(\Piece.rating, name: "favourites", where: { $0.isFavourite }),
    ]
  }

  override class var fields: [Field] {
    [
      Field("title", \Piece.title), Field("seconds", \Piece.seconds), Field("genre", \Piece.genre),
      Field("isrc", \Piece.isrc), Field("rating", \Piece.rating), Field("isFavourite", \Piece.isFavourite),
      Field("tags", \Piece.tags), Field("album", \Piece.album),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    genre = try buffer.readOptionalString()
    isrc = try buffer.readOptionalString()
    rating = try buffer.readDouble()
    isFavourite = try buffer.readBool()
    tags = try buffer.readArray()
    album = try buffer.readReference(Disc.self)
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeOptionalString(genre)
    buffer.writeOptionalString(isrc)
    buffer.writeDouble(rating)
    buffer.writeBool(isFavourite)
    buffer.writeArray(tags)
    buffer.writeReference(album)
  }
}

final class Disc: StoredObject {
  var title = ""
  var year: Int16 = 0

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    year = try buffer.readInt16()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeInt16(year)
  }
}
