import Foundation
import TestSupport
import Testing

/// What somebody sees who has an archive and not its key.
@Suite struct ToolArchiveSecrecyTests {
  @Test func `nothing of names, contents, paths, tags and hosts can be read`() throws {
    let made = try ToolArchive()
    let words = [
      "Nonsuch-directory", "Nonsuch-file", "nonsuch-content", "nonsuch-large", "Nonsuch-link", "nonsuch-target",
      "nonsuch-host", "nonsuch-tag", "nonsuch-attribute", "nonsuch-later", "nonsuch-pipe",
    ]
    try made.write("nonsuch-content", to: "Nonsuch-directory/Nonsuch-file")
    try made.write(String(repeating: "nonsuch-large ", count: 20_000), to: "Nonsuch-directory/large")
    try FileManager.default.createSymbolicLink(
      atPath: made.directory.path("Nonsuch-directory/Nonsuch-link"), withDestinationPath: "nonsuch-target")
    for compression in ["none", "zstd:3"] {
      #expect(
        try made.run(
          "add", "Nonsuch-directory", "--host", "nonsuch-host", "--tag", "nonsuch-tag", "--compression", compression,
          "--rescan"
        ).status == 0)
    }
    #expect(
      try made.run("add", "--stdin", "nonsuch-pipe", "--compression", "none", input: "nonsuch-attribute").status == 0)
    #expect(try made.run("tag", "latest", "--add", "nonsuch-later").status == 0)
    try #expect(found(words, in: made.path) == [])
    // The search finds what is there.
    #expect(try ToolRun("archive", "init", made.directory.path("plain"), "--plain").status == 0)
    let plain = try ToolRun(
      [
        "archive", "add", "plain", "Nonsuch-directory", "--compression", "none", "--host", "nonsuch-host", "--tag",
        "nonsuch-tag",
      ],
      workingDirectory: made.directory.path)
    #expect(plain.status == 0)
    #expect(try Set(found(words, in: made.directory.path("plain"))).isSuperset(of: words.prefix(8)))
  }

  private func found(_ words: [String], in directory: String) throws -> [String] {
    let contents = try ToolArchive.contents(of: directory)
    return words.filter { word in
      contents.contains { name, bytes in name.contains(word) || bytes.firstRange(of: Data(word.utf8)) != nil }
    }
  }
}
