public import Todana

/// The object of most workloads.
public final class Song: StoredObject {
  public var title = ""
  public var seconds: UInt32 = 0

  public override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
  }

  public override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
}
