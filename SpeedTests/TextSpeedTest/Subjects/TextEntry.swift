import Todana

/// A class with one text, and a text index that depends on the class.
protocol TextEntry: StoredObject {
  var title: String { get set }

  /// Returns a query for the objects whose texts match.
  static func matching(_ expression: TextExpression) -> Query<Self>
}

/// A class without a text index.
final class PlainEntry: StoredObject, TextEntry {
  var title = ""

  static func matching(_ expression: TextExpression) -> Query<PlainEntry> {
    PlainEntry.where { $0.title.matches(expression) }
  }
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

/// A class with a text index of words and substrings, and their positions.
final class PositionsEntry: StoredObject, TextEntry {
  var title = ""

  override class var textIndexes: [TextIndex] { [TextIndex(\PositionsEntry.title)] }

  static func matching(_ expression: TextExpression) -> Query<PositionsEntry> {
    PositionsEntry.where { $0.title.matches(expression) }
  }
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

/// A class with a text index of words and substrings without positions.
final class CompactEntry: StoredObject, TextEntry {
  var title = ""

  override class var textIndexes: [TextIndex] { [TextIndex(\CompactEntry.title, keepsPositions: false)] }

  static func matching(_ expression: TextExpression) -> Query<CompactEntry> {
    CompactEntry.where { $0.title.matches(expression) }
  }
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}
