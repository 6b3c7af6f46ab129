import Foundation
import TestSupport
import Testing

/// The files of an archive, as visible to an attacker without its key.
@Suite struct ToolArchiveSecrecyTests {
  @Test func `names, contents, paths, tags and hosts cannot be read in the files`() throws {
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
    // Checks that the search finds words in a plain archive.
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

  @Test(arguments: ["0000", "0022", "0077"])
  func `archives, keys, packs and stores are private, whatever the umask`(umask: String) throws {
    let made = try ToolArchive(isMade: false)
    try made.makeTree()
    let script = """
      umask \(umask); tool=$1; key="--key-file key"
      "$tool" archive init plain --plain && "$tool" archive init archive $key && mkdir empty && chmod 755 empty || exit 10
      "$tool" archive init empty --plain && "$tool" archive add plain src && "$tool" archive add archive src $key || exit 11
      "$tool" archive pack plain packed && "$tool" archive unpack unpacked packed || exit 12
      "$tool" archive key export archive exported $key && "$tool" archive tar export plain --output tar || exit 13
      "$tool" store backup plain copy && "$tool" store backup --series plain series || exit 14
      "$tool" store dump plain | "$tool" store import imported - || exit 15
      for name in plain archive empty packed unpacked exported tar copy series imported; do
        find $name -perm /077
      done
      """
    let run = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", script, "sh"])
    #expect(run.status == 0, "\(run.messages)")
    // `find` prints paths with permissions for others. There are none: all lines are reports of the commands.
    for name in ["plain", "archive", "empty", "packed", "unpacked", "exported", "tar", "copy", "series", "imported"] {
      #expect(!run.lines.contains { $0 == name || $0.hasPrefix(name + "/") }, "\(name)")
    }
  }
}
