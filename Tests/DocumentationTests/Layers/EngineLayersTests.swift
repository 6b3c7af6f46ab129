import Foundation
import TestSupport
import Testing

/// Tests of the engine's layers, listed in docs/architecture/layers.md: no file includes a header of a folder above its
/// own.
@Suite struct EngineLayersTests {
  private static let engine = Checkout.file("Sources/CStorageEngine")

  /// Returns all files of the engine, with any extension, by their paths within it.
  private static func sources() throws -> [String: String] {
    var sources: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: engine.path) {
      let url = engine.appending(path: path)
      if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile != true { continue }
      sources[path] = try String(contentsOf: url, encoding: .utf8)
    }
    return sources
  }

  private static func layers() throws -> EngineLayers {
    let document = try Checkout.text("docs/architecture/layers.md")
    return try #require(EngineLayers(document: document))
  }

  @Test func `no file of the engine breaks the layers of the document`() throws {
    let sources = try Self.sources()
    #expect(sources.count > 150)
    #expect(sources.values.map { EngineLayers.includes(of: $0).count }.reduce(0, +) > 500)
    for breach in try Self.layers().breaches(in: sources) { Issue.record("\(breach)") }
  }

  @Test func `an include of the topmost folder is found in every other one`() throws {
    let layers = try Self.layers()
    let top = try #require(layers.folders.first)
    let sound = try Self.sources()
    for folder in layers.folders.dropFirst() {
      var sources = sound
      let file = try #require(sources.keys.filter { $0.hasPrefix(folder + "/") }.min())
      sources[file, default: ""] += "\n#include \"../\(top)/Guard.h\"\n"
      #expect(layers.breaches(in: sources) == [.upwardInclude(file: file, header: "\(top)/Guard.h")])
    }
  }

  // MARK: Made-up sources

  private static let sound = [
    "Interface/Part.cpp": "#include \"../include/Part.h\"\n#include \"../Kyoto/Tree.h\"\n",
    "Kyoto/Tree.h": "#include <kchashdb.h>\n#include \"../Disk/Disk.h\"\n#include \"../../CSealing/Sealer.h\"\n",
    "Kyoto/Tree.cpp": "#include \"Tree.h\"\n#include <vector>\n",
    "Disk/Disk.h": "#include \"Part.h\"\n",
    "include/Part.h": "#include <stdint.h>\n#include \"CSealing.h\"\n",
  ]

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let file: String
    let text: String?
    let breaches: Set<EngineLayers.Breach>

    init(_ description: String, _ file: String, _ text: String?, _ breaches: EngineLayers.Breach...) {
      self.testDescription = description
      self.file = file
      self.text = text
      self.breaches = Set(breaches)
    }
  }

  /// Cases that each change one file of sources without a breach.
  ///
  /// A case has the file's new text, or nil to remove the file, and the breaches that this causes.
  static let cases = [
    Case("nothing is wrong", "Disk/Page.cpp", "#include \"Disk.h\"\n"),
    Case(
      "up by one folder", "Disk/Page.cpp", "#include \"../Kyoto/Tree.h\"\n",
      .upwardInclude(file: "Disk/Page.cpp", header: "Kyoto/Tree.h")),
    Case(
      "up by two folders", "Disk/Page.h", "#pragma once\n\n#include \"../Interface/Guard.h\"\n",
      .upwardInclude(file: "Disk/Page.h", header: "Interface/Guard.h")),
    Case(
      "up from a public header", "include/Part.h", "#include \"../Disk/Disk.h\"\n",
      .upwardInclude(file: "include/Part.h", header: "Disk/Disk.h")),
    Case(
      "spaces and a condition", "Disk/Page.h", "#if 0\n  #  include   \"../Kyoto/Tree.h\"  // why\n#endif\n",
      .upwardInclude(file: "Disk/Page.h", header: "Kyoto/Tree.h")),
    Case(
      "ends of lines of another system", "Disk/Page.h", "#pragma once\r\n#include \"../Kyoto/Tree.h\"\r\n",
      .upwardInclude(file: "Disk/Page.h", header: "Kyoto/Tree.h")),
    Case(
      "a detour within the engine", "Disk/Page.h", "#include \"./../Disk/../Kyoto/./Tree.h\"\n",
      .upwardInclude(file: "Disk/Page.h", header: "Kyoto/Tree.h")),
    Case(
      "a detour out of the engine", "Disk/Page.h", "#include \"../../CStorageEngine/Kyoto/Tree.h\"\n",
      .upwardInclude(file: "Disk/Page.h", header: "Kyoto/Tree.h")),
    Case(
      "angle brackets", "Disk/Page.h", "#include <../Kyoto/Tree.h>\n",
      .upwardInclude(file: "Disk/Page.h", header: "Kyoto/Tree.h")),
    Case(
      "an import", "Disk/Page.h", "#import \"../Kyoto/Tree.h\"\n",
      .upwardInclude(file: "Disk/Page.h", header: "Kyoto/Tree.h")),
    Case("in a comment", "Disk/Page.h", "// #include \"../Kyoto/Tree.h\"\n"),
    Case(
      "two includes, one wrong", "Kyoto/Tree.cpp", "#include \"Tree.h\"\n#include \"../Interface/Guard.h\"\n",
      .upwardInclude(file: "Kyoto/Tree.cpp", header: "Interface/Guard.h")),
    Case("a file outside of the folders", "Page.h", "#pragma once\n", .outsideFolders(file: "Page.h")),
    Case("a file of another kind outside of the folders", "notes.md", "", .outsideFolders(file: "notes.md")),
    Case(
      "Kyoto Cabinet in another folder", "Disk/Page.h", "#include <kcdb.h>\n",
      .kyotoInclude(file: "Disk/Page.h", header: "kcdb.h")),
    Case(
      "Kyoto Cabinet in quotes", "Interface/Part.cpp", "#include \"kcdb.h\"\n",
      .kyotoInclude(file: "Interface/Part.cpp", header: "kcdb.h")),
    Case(
      "Kyoto Cabinet with a folder", "Disk/Page.h", "#include <kyotocabinet/kcdb.h>\n",
      .kyotoInclude(file: "Disk/Page.h", header: "kyotocabinet/kcdb.h")),
    Case(
      "Kyoto Cabinet outside of the folders", "Page.h", "#include <kcdb.h>\n",
      .outsideFolders(file: "Page.h"), .kyotoInclude(file: "Page.h", header: "kcdb.h")),
    Case("Kyoto Cabinet in its folder", "Kyoto/Page.cpp", "#include <kcfile.h>\n"),
    Case("a new folder", "Locks/Lock.h", "#pragma once\n", .unlistedFolder("Locks")),
    Case("a folder in a folder", "Disk/Locks/Lock.h", "#pragma once\n", .unlistedFolder("Disk/Locks")),
    Case("a folder in another case", "disk/Lock.h", "#pragma once\n", .unlistedFolder("disk")),
    Case("a listed folder without files", "Disk/Disk.h", nil, .emptyFolder("Disk")),
    Case(
      "a part without its header", "Interface/Other.cpp", "#include \"../include/Part.h\"\n",
      .withoutPublicHeader(file: "Interface/Other.cpp")),
    Case("a header of the interface's folder", "Interface/Guard.h", "#include \"../include/Part.h\"\n"),
  ]

  @Test(arguments: cases)
  func `each breach is found, and nothing else`(_ made: Case) {
    var sources = Self.sound
    sources[made.file] = made.text
    let layers = EngineLayers(folders: ["Interface", "Kyoto", "Disk", "include"])
    let found = layers.breaches(in: sources)
    #expect(Set(found) == made.breaches)
    #expect(found.count == made.breaches.count)
  }

  @Test func `several files are checked in the order of their paths`() {
    var sources = Self.sound
    sources["Disk/B.h"] = "#include \"../Kyoto/Tree.h\"\n"
    sources["Disk/A.h"] = "#include <kcdb.h>\n"
    sources["Locks/A.h"] = ""
    sources["Locks/B.h"] = ""
    let layers = EngineLayers(folders: ["Interface", "Kyoto", "Disk", "include"])
    #expect(
      layers.breaches(in: sources) == [
        .kyotoInclude(file: "Disk/A.h", header: "kcdb.h"),
        .upwardInclude(file: "Disk/B.h", header: "Kyoto/Tree.h"),
        .unlistedFolder("Locks"),
      ])
  }

  @Test func `the list is read from its own section`() {
    let list = "# A\n\n1. `Before`\n\n## The engine's layers\n\nWith `Code`.\n\n1. `Top`: first\n2. `Low`: over `Top`\n"
    #expect(EngineLayers(document: list + "\n## Next\n\n1. `After`\n")?.folders == ["Top", "Low"])
  }

  @Test(arguments: ["", "1. `Top`\n", "## The engine's layers\n", "## The engine's layers\n\n- `Top`\n"])
  func `a document without the list has no layers`(_ document: String) {
    #expect(EngineLayers(document: document) == nil)
  }
}
