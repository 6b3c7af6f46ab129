// Unit tests of the file that `--files-from` names.
import Testing
import TodanaArchive

@Suite struct FileListTests {
  @Test(
    arguments: [
      ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb\n", ["a", "b"]), ("\n\na\n\nb\n\n", ["a", "b"]),
      ("a\r\nb\r\n", ["a\r", "b\r"]), ("b\na\nb\na\n", ["b", "a"]), (" a \n#b\n", [" a ", "#b"]),
      ("a\n./a\n", ["a", "./a"]),
      ("\0", []), ("a\0", ["a"]), ("a\0b", ["a", "b"]), ("a\nb\0\0c\0a\nb\0", ["a\nb", "c"]),
    ] as [(String, [String])])
  func `a list of paths is parsed`(_ content: String, _ paths: [String]) throws {
    #expect(try FileList(content.bytes).paths == paths.map(\.bytes))
  }

  @Test func `a path with a line feed needs an explicit separator`() throws {
    #expect(try FileList("a\nb".bytes, separator: .nul).paths == ["a\nb".bytes])
    #expect(try FileList("a\nb".bytes, separator: .lineFeed).paths == ["a".bytes, "b".bytes])
  }

  @Test func `paths need not be UTF-8`() throws {
    #expect(try FileList([0xFF, 0x0A, 0xFE, 0xFF]).paths == [[0xFF], [0xFE, 0xFF]])
  }

  @Test func `a NUL byte in lines is refused`() {
    let error = #expect(throws: ArgumentError.self) { try FileList("a\nb\0c\n".bytes, separator: .lineFeed) }
    #expect(error?.code == .invalidFileList)
    #expect(error?.message.contains("Line 2") == true)
  }
}
