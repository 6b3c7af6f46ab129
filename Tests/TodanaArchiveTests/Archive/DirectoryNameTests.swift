import Testing

@testable import TodanaArchive

@Suite struct DirectoryNameTests {
  @Test(arguments: [
    ("", "top directory of the snapshot"), ("src", "directory “src”"), ("a/b\n", "directory “a/b\\x0a”"),
  ])
  func `messages name a directory, also the one that contains all paths`(_ path: String, _ name: String) {
    #expect("\(DirectoryName(Array(path.utf8)))" == name)
  }
}
