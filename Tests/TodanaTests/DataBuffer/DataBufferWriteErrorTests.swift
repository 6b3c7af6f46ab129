import Testing
import Todana

/// Writing does not throw: the buffer keeps the first error.
@Suite struct DataBufferWriteErrorTests {
  @Test func `a string of 2 GiB is refused before memory is taken for it`() {
    // Pages that were never written to are all zeros and use no memory.
    let string = unsafe String(unsafeUninitializedCapacity: 2 << 30) { _ in 2 << 30 }
    var buffer = DataBuffer()
    buffer.writeUInt32(1)
    buffer.writeString(string)
    buffer.writeUInt32(2)
    let (error, count) = (buffer.firstError, buffer.count)
    #expect(error?.code == .limitExceeded)
    #expect(error?.fieldNumber == 2)
    #expect(error?.byteOffset == 4)
    #expect(count == 4)
  }

  @Test func `content that grows beyond the limit step by step is refused`() {
    let arena = ByteArena()
    var buffer = DataBuffer(arena: arena, encoder: nil)
    buffer.beginRecord(version: 1, headerByteCount: 2)
    let piece = [UInt8](repeating: 0, count: 256 << 20)
    for _ in 0..<4 { buffer.writeRawBytes(piece) }
    let (error, count) = (buffer.firstError, buffer.count)
    #expect(error == nil)
    #expect(count == DataBuffer.contentByteLimit)
    buffer.writeUInt8(1)
    let (errorBeyond, countBeyond) = (buffer.firstError, buffer.count)
    #expect(errorBeyond?.code == .limitExceeded)
    #expect(errorBeyond?.fieldNumber == 5)
    #expect(countBeyond == DataBuffer.contentByteLimit)
  }

  @Test func `the first error is kept, and later writes add nothing`() {
    struct Unwritable: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: ""))
      }
    }
    var buffer = DataBuffer()
    buffer.writeArray([1, 2] as [UInt8])
    buffer.writeCodable(Unwritable())
    buffer.writeString("later")
    buffer.writeReference(StoredObject())
    let (error, count) = (buffer.firstError, buffer.count)
    #expect(error?.code == .codableFailure)
    #expect(error?.fieldNumber == 2)
    #expect(error?.byteOffset == 3)
    #expect(count == 3)
    buffer.removeAll()
    buffer.writeUInt8(9)
    let (errorAfter, bytes) = (buffer.firstError, buffer.bytes)
    #expect(errorAfter == nil)
    #expect(bytes == [9])
  }

  @Test func `a value within a collection counts as part of its field`() {
    var buffer = DataBuffer()
    buffer.writeUInt8(1)
    buffer.writeArray([1, 2, 3] as [UInt16])
    buffer.writeArray([1, 2]) { buffer, number in
      buffer.writeInt(number)
      buffer.writeReference(number == 2 ? StoredObject() : nil)
    }
    let error = buffer.firstError
    #expect(error?.code == .referencesUnavailable)
    #expect(error?.fieldNumber == 3)
  }

  @Test func `elements without bytes are refused, since no reader would accept their count`() {
    var buffer = DataBuffer()
    buffer.writeArray([1, 2, 3]) { _, _ in }
    let error = buffer.firstError
    #expect(error?.code == .invalidValue)
    #expect(error?.fieldNumber == 1)
  }

  @Test func `truncating keeps an earlier error, and truncating to an invalid length is one`() {
    for length in [-1, 4] {
      var buffer = DataBuffer()
      buffer.writeRawBytes([1, 2, 3])
      buffer.truncate(to: length)
      let (error, count) = (buffer.firstError, buffer.count)
      #expect(error?.code == .invalidValue)
      #expect(count == 3)
      buffer.truncate(to: 2)
      buffer.writeUInt8(9)
      let (errorAfter, bytes) = (buffer.firstError, buffer.bytes)
      #expect(errorAfter?.code == .invalidValue)
      #expect(bytes == [1, 2])
    }
    var reader = DataBuffer(reading: [1, 2, 3])
    reader.truncate(to: 1)
    let (error, count, capacity) = (reader.firstError, reader.count, reader.capacity)
    #expect(error?.code == .notWritable)
    #expect(count == 3 && capacity == 3)
  }

  @Test func `a buffer that reads cannot be written to`() throws {
    var buffer = DataBuffer(reading: [1, 2])
    buffer.writeUInt8(9)
    buffer.writeString("x")
    buffer.removeAll()
    let (bytes, error) = (buffer.bytes, buffer.firstError)
    #expect(bytes == [1, 2])
    #expect(error?.code == .notWritable)
    _ = try buffer.readUInt16()
    let thrown = #expect(throws: DataBufferError.self) { try buffer.finishReading() }
    #expect(thrown?.code == .notWritable)
  }
}
