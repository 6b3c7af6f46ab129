import FoundationEssentials
import TestSupport
import Testing
import Todana

#if canImport(Glibc)
  import Glibc
#endif

/// Arbitrary bytes: every reader refuses them with a typed error, and allocates no memory for the counts they announce.
@Suite struct DataBufferHostileBytesTests {
  @Test(arguments: DataBufferSample.all)
  func `bytes that end early are refused, and the cursor stays within them`(sample: DataBufferSample) {
    for byteCount in 0..<sample.bytes.count {
      var buffer = DataBuffer(reading: Array(sample.bytes.prefix(byteCount)))
      let error = #expect(throws: DataBufferError.self) { try sample.read(&buffer) }
      #expect([.truncated, .countTooLarge].contains(error?.code), "\(byteCount) bytes: \(String(describing: error))")
      let position = buffer.position
      #expect((0...byteCount).contains(position))
    }
  }

  @Test(arguments: DataBufferSample.all)
  func `random bytes are read or refused`(sample: DataBufferSample) {
    for seed in 1...500 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      // Half of them are small numbers, so that valid counts are frequent.
      let isSmall = Bool.random(using: &random)
      let bytes = (0..<Int.random(in: 0..<80, using: &random)).map { _ in
        UInt8.random(in: 0...(isSmall ? 3 : 255), using: &random)
      }
      var buffer = DataBuffer(reading: bytes)
      do {
        _ = try sample.read(&buffer)
      } catch let error as DataBufferError {
        #expect((0...bytes.count).contains(error.byteOffset ?? -1), "seed \(seed): \(error)")
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
      let position = buffer.position
      #expect((0...bytes.count).contains(position), "seed \(seed)")
    }
  }

  @Test(arguments: Refusal.ofValues)
  func `a value that its type cannot have is refused, and the cursor stays before it`(refusal: Refusal) throws {
    var buffer = DataBuffer(reading: [0] + refusal.bytes)
    #expect(try buffer.readUInt8() == 0)
    let error = #expect(throws: DataBufferError.self) { try refusal.read(&buffer) }
    #expect(error?.code == refusal.code)
    #expect(error?.byteOffset == buffer.position)
  }

  @Test(arguments: [.max, 1 << 63, (1 << 63) - 1, 1 << 40, 65] as [UInt64])
  func `a count that the bytes left cannot hold is refused`(count: UInt64) {
    var writer = DataBuffer()
    writer.writeVarUInt(count)
    let countByteCount = writer.count
    writer.writeRawBytes([UInt8](repeating: 1, count: 64))
    let bytes = writer.bytes
    func refuses(_ code: DataBufferError.Code, _ read: (inout DataBuffer) throws -> Void) {
      var buffer = DataBuffer(reading: bytes)
      let error = #expect(throws: DataBufferError.self) { try read(&buffer) }
      #expect(error?.code == code)
    }
    refuses(.truncated) { _ = try $0.readString() }
    refuses(.truncated) { _ = try $0.readBytes() }
    refuses(.truncated) { _ = try $0.readData() }
    refuses(.truncated) { _ = try $0.readCodable(Int.self) }
    refuses(.countTooLarge) { _ = try $0.readArray(UInt8.self) }
    refuses(.countTooLarge) { _ = try $0.readArray([[UInt64]].self) }
    refuses(.countTooLarge) { _ = try $0.readArray(minimumElementByteCount: .max) { _ in 0 } }
    refuses(.countTooLarge) { _ = try $0.readArray(minimumElementByteCount: 0) { _ in () } }
    refuses(.countTooLarge) { _ = try $0.readSet(UInt8.self) }
    refuses(.countTooLarge) { _ = try $0.readDictionary(UInt8.self, UInt8.self) }
    refuses(.countTooLarge) { _ = try $0.readReferences(StoredObject.self) }
    refuses(.countTooLarge) { _ = try $0.readAnyReferences() }
    refuses(.truncated) { buffer in
      try buffer.skip(countByteCount)
      _ = try buffer.readRawBytes(count: Int.max)
    }
    refuses(.truncated) { try $0.skip(.max) }
    refuses(.invalidValue) { try $0.skip(-1) }
    refuses(.invalidValue) { _ = try $0.readRawBytes(count: -1) }
  }

  @Test func `bytes that are left over are refused`() throws {
    var buffer = DataBuffer(reading: [1, 2])
    #expect(try buffer.readUInt8() == 1)
    let error: DataBufferError?
    do throws(DataBufferError) {
      try buffer.finishReading()
      error = nil
    } catch let thrown {
      error = thrown
    }
    #expect(error?.code == .trailingBytes)
    #expect(error?.byteOffset == 1)
  }

  #if canImport(Glibc)
    @Test func `large elements take no memory before they are read`() async {
      await #expect(processExitsWith: .success) {
        // 1 MiB announces a million elements of 4 KiB each: 4 GiB, four times as much as this process may map.
        var writer = DataBuffer()
        writer.writeVarUInt(1 << 20)
        writer.writeRawBytes([UInt8](repeating: 2, count: 1 << 20))
        let bytes = writer.bytes
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        limit.rlim_cur = rlim_t(try addressSpaceByteCount()) + (1 << 30)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        var buffer = DataBuffer(reading: bytes)
        #expect(throws: DataBufferError.self) { try buffer.readArray { try Large(flag: $0.readBool()) } }
        try buffer.skip(0)
      }
    }
  #endif
}

/// Bytes that a reader refuses, and the expected error code.
struct Refusal: Sendable, CustomTestStringConvertible {
  let bytes: [UInt8]
  let code: DataBufferError.Code
  let read: @Sendable (inout DataBuffer) throws -> Void

  init(_ bytes: [UInt8], _ code: DataBufferError.Code, read: @escaping @Sendable (inout DataBuffer) throws -> Void) {
    self.bytes = bytes
    self.code = code
    self.read = read
  }

  var testDescription: String { "\(code): \(bytes)" }

  static let ofValues: [Refusal] = [
    .init([0x02], .invalidValue) { _ = try $0.readBool() },
    .init([0x02, 0x00], .invalidValue) { _ = try $0.readOptionalString() },
    .init([0xFF, 0x00, 0x00], .invalidValue) { _ = try $0.readOptional(UInt16.self) },
    .init([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02], .varintOverflow) { _ = try $0.readVarUInt() },
    .init([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .varintOverflow) {
      _ = try $0.readVarInt()
    },
    .init([0x80, 0x00], .invalidValue) { _ = try $0.readVarUInt() },
    .init([0x02, 0xC3, 0x28], .invalidUTF8) { _ = try $0.readString() },
    .init([0x03, 0xED, 0xA0, 0x80], .invalidUTF8) { _ = try $0.readString() },
    .init([0x03, 0xF0, 0x9F, 0x98], .invalidUTF8) { _ = try $0.readString() },
    .init([0x02, 0xC0, 0x80], .invalidUTF8) { _ = try $0.readString() },
    .init([0x01, 0x01, 0xFF], .invalidUTF8) { _ = try $0.readOptionalString() },
    .init([0x03], .unknownRawValue) { _ = try $0.readRawValue(Genre.self) },
    .init([0x00, 0x00], .invalidValue) { _ = try $0.readURL() },
    .init([0x04, 0x31, 0x32, 0x61, 0x62], .invalidValue) { _ = try $0.readDecimal() },
    .init([0x02, 0x30, 0x31], .invalidValue) { _ = try $0.readDecimal() },
    .init([0x02, 0x01, 0x01], .invalidValue) { _ = try $0.readSet(UInt8.self) },
    .init([0x02, 0x01, 0x00, 0x01, 0x01], .invalidValue) { _ = try $0.readDictionary(UInt8.self, UInt8.self) },
    .init([0x01, 0x7B], .codableFailure) { _ = try $0.readCodable(Point.self) },
    .init([0x02, 0x7B, 0x7D], .codableFailure) { _ = try $0.readCodable(Point.self) },
  ]
}

/// A value of 4 KiB in memory, and of 1 byte when written.
private struct Large {
  var storage: [512 of UInt64] = .init(repeating: 0)

  init(flag: Bool) { storage[0] = flag ? 1 : 0 }
}

/// Returns the size of this process's address space, from `/proc/self/statm`.
private func addressSpaceByteCount() throws -> UInt {
  let text = try String(decoding: Data(contentsOf: URL(filePath: "/proc/self/statm")), as: UTF8.self)
  return (text.split(separator: " ").first.flatMap { UInt($0) } ?? 0) * 4096
}
