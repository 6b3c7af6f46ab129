// Unit tests of file sizes as users write them.
import Testing
import TodanaArchive

@Suite struct ByteSizeTests {
  @Test(arguments: [
    ("0", 0), ("4096", 4096), ("1b", 1), ("1k", 1024), ("500k", 512_000), ("10M", 10_485_760), ("1.5G", 1_610_612_736),
    ("1.5g", 1_610_612_736), ("2TiB", 2_199_023_255_552), ("1PB", 1_125_899_906_842_624), ("0.1k", 102),
    ("0.0009765625M", 1024), ("1.999999999999999999k", 2047), ("8191P", 8191 << 50), ("1kib", 1024),
    ("0.99999999999999999999999999999P", (1 << 50) - 1),
  ])
  func `a size is parsed`(_ text: String, _ byteCount: Int) throws {
    #expect(try ByteSize(text).byteCount == byteCount)
  }

  @Test(arguments: [
    "", "M", "-1", "+1", "1.5", "1.", ".5M", "1..5M", "1.2.3M", "10X", "10 M", " 1", "1e3", "0x10", "1ib", "1ki", "1bb",
    "1Mb1", "8192P", "9223372036854775808", "99999999999999999999G", "١k", "1\u{301}k", "½k",
  ])
  func `an invalid size is refused`(_ text: String) {
    let error = #expect(throws: ArgumentError.self) { try ByteSize(text) }
    #expect(error?.code == .invalidSize)
    #expect(error?.message.contains("“\(text)” is not a size") == true)
  }

  @Test(arguments: [
    ("1024", "1k"), ("1.5G", "1.5G"), ("10M", "10M"), ("1000", "1000"), ("1025", "1025"), ("0", "0"),
    ("8191P", "8191P"),
  ])
  func `a size is printed`(_ text: String, _ shown: String) throws {
    #expect(try ByteSize(text).description == shown)
  }
}
