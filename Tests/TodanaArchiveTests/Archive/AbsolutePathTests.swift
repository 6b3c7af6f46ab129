import Testing

@testable import TodanaArchive

/// Tests of absolute paths, which are derived from the text alone.
@Suite struct AbsolutePathTests {
  @Test(arguments: [
    ("a", "/home/ann/a"), ("./a/", "/home/ann/a"), (".", "/home/ann"), ("..", "/home"), ("../../../x", "/x"),
    ("a/../b//c/.", "/home/ann/b/c"), ("/", "/"), ("/etc//passwd/", "/etc/passwd"), ("/..", "/"),
    ("...", "/home/ann/..."),
  ])
  func `a path is made absolute, and redundant components are removed`(path: String, absolute: String) {
    #expect(AbsolutePath.bytes(of: Array(path.utf8), in: Array("/home/ann".utf8)) == Array(absolute.utf8))
  }

  @Test func `names that are not UTF-8 stay as they are`() {
    let name: [UInt8] = [0xFF, 0x80]
    #expect(AbsolutePath.bytes(of: name, in: [0x2F, 0xFE]) == [0x2F, 0xFE, 0x2F] + name)
  }

  @Test func `the order, spelling and repetition of paths do not change their set`() {
    func set(_ paths: String...) -> [[UInt8]] { AbsolutePath.set(of: paths.map { Array($0.utf8) }, in: [0x2F, 0x64]) }
    #expect(set("a", "b") == set("./b/", "a", "/d/a"))
    #expect(set("a") != set("a", "a/b"))
  }

  @Test func `a path's place in a snapshot does not depend on its spelling`() {
    func places(_ paths: String...) -> Set<[[UInt8]]> { Set(paths.map { SourceRoots.place(of: Array($0.utf8)) }) }
    #expect(places("a", "b/c") == places("../x/../b/c/", "/a"))
    #expect(places("/") == places("..") && places("a") != places("x/a"))
  }
}
