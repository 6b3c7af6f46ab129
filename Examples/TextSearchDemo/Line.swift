import Todana

/// One line of the loaded file.
final class Line: StoredObject {
  var text = ""
  var script = Script.other
  var length = LengthClass.short

  convenience init(_ text: String) {
    self.init()
    self.text = text
    script = Script(of: text)
    length = LengthClass(of: text)
  }

  override class var textIndexes: [TextIndex] { [TextIndex(\Line.text)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    text = try buffer.readString()
    script = Script(rawValue: try buffer.readUInt8()) ?? .other
    length = LengthClass(rawValue: try buffer.readUInt8()) ?? .short
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(text)
    buffer.writeUInt8(script.rawValue)
    buffer.writeUInt8(length.rawValue)
  }
}
