import Foundation
import Testing

/// One entry of the JSON array of TextSpeedTest, with the keys that the tests check.
private struct Entry: Decodable {
  var part: String
  var subject: String
  var query: String?
  var count: Int
  var wallSeconds: Double?
  var hitCount: Int?
  var readsAll: Bool?
  var isUnsupported: Bool?
  var peakBytes: Int?
  var diskBytes: Int?
  var logBytesPerSave: Double?
  var error: String?
}

/// Runs of TextSpeedTest with few texts.
@Suite(.serialized) struct TextProgramTests {
  /// The subjects that need no other language.
  static let subjects: Set = [
    "todana-scan", "todana", "todana-compact", "todana-encrypted", "sqlite", "sqlite-trigram",
  ]

  /// Runs the program with few saves and repetitions in a new directory, and checks that nothing is left there.
  private func run(_ arguments: [String], in directory: String) throws -> SpeedTestProcess {
    let databases = directory + "/databases"
    try FileManager.default.createDirectory(atPath: databases, withIntermediateDirectories: true)
    let run = try SpeedTestProcess(
      "TextSpeedTest",
      ["--repetitions", "2", "--top-repetitions", "2", "--saves", "3", "--directory", databases] + arguments)
    #expect(try FileManager.default.contentsOfDirectory(atPath: databases) == [])
    return run
  }

  private func entries(of run: SpeedTestProcess) throws -> [Entry] {
    #expect(run.status == 0, "\(run.messages)")
    return try JSONDecoder().decode([Entry].self, from: Data(run.output.utf8))
  }

  @Test func `all subjects find the same generated texts`() throws {
    try withTemporaryDirectory { directory in
      let arguments = ["--count", "2000", "--encrypted", "--peers", "sqlite,sqlite-trigram", "--json"]
      let entries = try entries(of: run(arguments, in: directory))
      #expect(Set(entries.map(\.subject)) == Self.subjects)
      #expect(entries.allSatisfy { $0.count == 2_000 && $0.error == nil })
      for subject in Self.subjects {
        let own = entries.filter { $0.subject == subject }
        #expect(own.filter { $0.part == "build" }.compactMap(\.diskBytes).allSatisfy { $0 > 0 })
        #expect(own.filter { $0.part == "build" }.compactMap(\.peakBytes).count == 1)
        #expect(own.filter { $0.part == "query" }.count > 15)
        #expect(own.filter { $0.part == "save" }.compactMap(\.wallSeconds).count == 1)
        let bytes = own.compactMap(\.logBytesPerSave)
        #expect(subject.hasPrefix("todana") ? bytes.allSatisfy { $0 > 0 } && bytes.count == 1 : bytes.isEmpty)
      }
      let rare = entries.filter { $0.query == "part-rare" }
      #expect(rare.count == Self.subjects.count)
      #expect(rare.allSatisfy { $0.hitCount == 1 })
      let phrases = entries.filter { $0.query == "phrase-common-ids" && $0.isUnsupported != true }
      #expect(phrases.count == Self.subjects.count - 1)
      #expect(Set(phrases.compactMap(\.hitCount)).count == 1)
      #expect(phrases.filter { $0.readsAll == true }.map(\.subject) == ["todana-scan"])
    }
  }

  @Test(arguments: ["tantivy", "xapian"]) func `a peer in Python runs, or is left out`(peer: String) throws {
    try withTemporaryDirectory { directory in
      let run = try run(["--count", "300", "--peers", peer, "--json"], in: directory)
      let own = try entries(of: run).filter { $0.subject == peer }
      if run.messages.contains("\(peer) is left out") {
        #expect(own.isEmpty)
        try Test.cancel("Python has no module \(peer).")
      }
      #expect(Set(own.map(\.part)) == ["build", "query", "save"])
      #expect(own.contains { ($0.hitCount ?? 0) > 0 })
    }
  }

  @Test func `a peer that is not installed is left out with a message`() throws {
    try withTemporaryDirectory { directory in
      let run = try run(
        ["--count", "100", "--peers", "tantivy", "--python", "/no/such/python", "--json"], in: directory)
      #expect(Set(try entries(of: run).map(\.subject)) == ["todana-scan", "todana", "todana-compact"])
      #expect(run.messages.contains("pip install tantivy"))
    }
  }

  @Test func `texts are the lines of a file, and the tables are Markdown`() throws {
    try withTemporaryDirectory { directory in
      let file = directory + "/texts.txt"
      try "The choice of the file\n\nNo choices\nファイルの文件".write(toFile: file, atomically: true, encoding: .utf8)
      let run = try run(["--corpus", file, "--peers", "none"], in: directory)
      #expect(run.status == 0, "\(run.messages)")
      #expect(run.output.hasPrefix("3 texts, 0.0 MB, 1 of them not ASCII"))
      let lines = run.output.split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("|--") } == 4)
      let found = lines.filter { $0.hasPrefix("| \\*choice\\*, all fetched") }
      #expect(found.last?.filter { $0 == "2" }.count == 3, "\(run.output)")
    }
  }

  @Test func `documents are cut into texts`() throws {
    try withTemporaryDirectory { directory in
      let documents = directory + "/documents/part"
      try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
      let page = String(repeating: "the choice of\n the option  ", count: 500)
      try page.write(toFile: documents + "/page.txt", atomically: true, encoding: .utf8)
      try Data([1, 0, 2]).write(to: URL(fileURLWithPath: documents + "/binary"))
      let run = try run(["--documents", directory + "/documents", "--peers", "none", "--json"], in: directory)
      // 13 kB of text in parts of 5 kB.
      #expect(try entries(of: run).allSatisfy { $0.count == 3 })
    }
  }

  @Test(arguments: [
    (["--count", "0"], "--count"), (["--peers", "oracle"], "oracle"), (["--corpus", "/no/such/file"], "/no/such/file"),
    (["--documents", "/no/such/directory"], "/no/such/directory"), (["--corpus", "a", "--documents", "b"], "--corpus"),
  ])
  func `wrong use ends with status 2`(arguments: [String], expected: String) throws {
    try withTemporaryDirectory { directory in
      let run = try SpeedTestProcess("TextSpeedTest", ["--directory", directory] + arguments)
      #expect(run.status == 2)
      #expect(run.output.isEmpty)
      #expect(run.messages.contains(expected), "\(run.messages)")
    }
  }
}
