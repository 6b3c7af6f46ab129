import FoundationEssentials
import TestSupport
import Testing
import Todana

/// The examples of `docs/formats/data-buffer.md`, byte for byte.
@Suite struct DataBufferFormatTests {
  @Test(arguments: DataBufferSample.all)
  func `a value is written as the format document says`(sample: DataBufferSample) {
    var buffer = DataBuffer()
    sample.write(&buffer)
    let (bytes, error) = (buffer.bytes, buffer.firstError)
    #expect(bytes == sample.bytes)
    #expect(error == nil)
  }

  @Test(arguments: DataBufferSample.all)
  func `a value is read from the bytes of the format document`(sample: DataBufferSample) throws {
    var buffer = DataBuffer(reading: sample.bytes)
    let isEqual = try sample.read(&buffer)
    let isAtEnd = buffer.isAtEnd
    #expect(isEqual)
    #expect(isAtEnd)
    try buffer.finishReading()
  }

  @Test func `the format document has every example`() throws {
    let document = try Checkout.text("docs/formats/data-buffer.md")
    for sample in DataBufferSample.all {
      #expect(document.contains("| \(sample.name) | `\(sample.hexadecimal)` |"), "\(sample.name)")
    }
  }

  @Test func `equal sets and dictionaries have equal bytes, whatever order they iterate in`() {
    let numbers = Array(0..<500 as Range<Int32>)
    var grown: Set<Int32> = []
    for number in numbers { grown.insert(number) }
    var sized = Set<Int32>(minimumCapacity: 5_000)
    for number in numbers.reversed() { sized.insert(number) }
    var one = DataBuffer()
    var other = DataBuffer()
    one.writeSet(grown)
    other.writeSet(sized)
    one.writeDictionary(Dictionary(uniqueKeysWithValues: grown.map { ($0, "\($0)") }))
    other.writeDictionary(Dictionary(uniqueKeysWithValues: sized.map { ($0, "\($0)") }))
    let (left, right) = (one.bytes, other.bytes)
    #expect(left == right)
  }
}
