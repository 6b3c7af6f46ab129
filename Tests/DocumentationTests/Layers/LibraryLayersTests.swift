import Foundation
import TestSupport
import Testing

/// Tests of the library's layers, listed in docs/architecture/layers.md: no file mentions a type of a folder above its
/// own.
///
/// The exceptions below each give a reason.
@Suite struct LibraryLayersTests {
  private static let exceptions: [LibraryLayers.Exception] = [
    .init(
      folder: "Store",
      types: ["NamedBuffers", "ContentCopies", "ChangeJournal", "SaveInFlight", "UnresolvedSave", "UndoStack"],
      reason: "The fields of a store: its pending changes and its saves that are under way."),
    .init(
      folder: "Store",
      types: [
        "IdentityTable", "PendingChanges", "ContentSnapshot", "ClassIndex", "ClassTextIndex", "ClassRelationship",
        "UnknownReferrers",
      ],
      reason: "The fields of the table of a class."),
    .init(
      folder: "Store", types: ["IndexStates", "TextIndexCache", "ChangeHub"],
      reason: "The fields of a session, which all stores of one backend share."),
    .init(
      folder: "StoredObject", types: ["Store", "ClassTable", "IdentityPage"],
      reason: "An object leads to the store that it is in."),
    .init(
      folder: "StoredObject",
      types: ["ContentField", "Field", "Index", "TextIndex", "Relationship", "CollectionIndexes"],
      reason: "What a subclass declares of itself, by overriding."),
    .init(
      folder: "DataBuffer", types: ["ReferenceEncoder", "ReferenceResolver"],
      reason: "The fields of a buffer by which the store writes and reads references."),
    .init(folder: "StoredObject", types: ["StoreError"], reason: anyFolder),
    .init(folder: "Conditions", types: ["StoreError"], reason: anyFolder),
    .init(folder: "FullText", types: ["StoreError"], reason: anyFolder),
    .init(folder: "Encryption", types: ["StoreError"], reason: anyFolder),
    .init(folder: "Ordering", types: ["StoreError"], reason: anyFolder),
  ]
  private static let anyFolder = "The one error of the library's calls, whichever folder they stand in."

  private static let library = Checkout.file("Sources/Todana")

  /// Returns all Swift files of the library by their paths within it.
  private static func sources() throws -> [String: String] {
    var sources: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: library.path) where path.hasSuffix(".swift") {
      sources[path] = try String(contentsOf: library.appending(path: path), encoding: .utf8)
    }
    return sources
  }

  private static func layers() throws -> LibraryLayers {
    let document = try Checkout.text("docs/architecture/layers.md")
    return try #require(LibraryLayers(document: document, exceptions: exceptions))
  }

  @Test func `no file of the library breaks the layers of the document`() throws {
    let sources = try Self.sources()
    #expect(sources.count > 200)
    for breach in try Self.layers().breaches(in: sources) { Issue.record("\(breach)") }
  }

  @Test func `a mention of a type of the topmost folder is found in every other one`() throws {
    let layers = try Self.layers()
    let sources = try Self.sources()
    var files: [String] = []
    for folder in layers.folders.dropFirst() {
      files.append(try #require(sources.keys.filter { $0.hasPrefix(folder + "/") }.min()))
    }
    var changed = sources
    for file in files { changed[file, default: ""] += "\nextension SalvageReport {}\n" }
    let expected = Set(files).map { LibraryLayers.Breach.upwardMention(file: $0, type: "SalvageReport") }
    #expect(Set(layers.breaches(in: changed)) == Set(expected))
  }

  @Test func `no folder has more than about fifteen files`() throws {
    let folders = try Self.sources().keys.map { $0.split(separator: "/").dropLast().joined(separator: "/") }
    for (folder, files) in Dictionary(grouping: folders, by: \.self) where files.count > 16 {
      Issue.record("\(folder) has \(files.count) files")
    }
  }

  // MARK: Made-up sources

  private static let sound = [
    "Query/Running/Run.swift": "final class Run {\n  let plan: Plan\n  let rows: Rows\n}\n",
    "Query/Query.swift": "public struct Plan {}\n\nprivate struct Row {}\n",
    "Rows/Rows.swift": "package protocol Rows {\n  associatedtype Row\n}\n\nextension Rows {}\n",
    "Rows/Parts/Part.swift": "typealias Part = Rows\n",
  ]
  private static let folders = ["Query/Running", "Query", "Rows"]

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let file: String
    let text: String?
    let breaches: [LibraryLayers.Breach]

    init(_ description: String, _ file: String, _ text: String?, _ breaches: LibraryLayers.Breach...) {
      self.testDescription = description
      self.file = file
      self.text = text
      self.breaches = breaches
    }
  }

  /// Cases that each change one file of sources without a breach.
  ///
  /// A case has the file's new text, or nil to remove the file, and the breaches that this causes.
  static let cases = [
    Case("nothing is wrong", "Rows/Other.swift", "struct Other {}\n"),
    Case(
      "up by one folder", "Rows/Other.swift", "let plan: Plan?\n",
      .upwardMention(file: "Rows/Other.swift", type: "Plan")),
    Case(
      "up from a folder in a folder", "Rows/Parts/Other.swift", "func plan() -> [Run] { [] }\n",
      .upwardMention(file: "Rows/Parts/Other.swift", type: "Run")),
    Case(
      "up from a folder to one within it", "Query/Other.swift", "extension Run {}\n",
      .upwardMention(file: "Query/Other.swift", type: "Run")),
    Case(
      "two types", "Rows/Other.swift", "let run: Run = Plan().run\n",
      .upwardMention(file: "Rows/Other.swift", type: "Plan"), .upwardMention(file: "Rows/Other.swift", type: "Run")),
    Case(
      "in an interpolation", "Rows/Other.swift", "let text = \"a \\(f(\"b\") + Plan.name) Run\"\n",
      .upwardMention(file: "Rows/Other.swift", type: "Plan")),
    Case(
      "behind a range", "Rows/Other.swift", "let range = 0..<Plan.count\n",
      .upwardMention(file: "Rows/Other.swift", type: "Plan")),
    Case("in comments", "Rows/Other.swift", "/// A ``Plan``.\nlet a = 1  // Plan\n/* Plan /* Run */ Plan */\n"),
    Case("in a literal", "Rows/Other.swift", "let text = \"Plan \\\" Run\"\n"),
    Case("in a literal of several lines", "Rows/Other.swift", "let text = \"\"\"\n  Plan \"Run\"\n  \"\"\"\n"),
    Case("in a raw literal", "Rows/Other.swift", "let text = #\"Plan \\\" \"Run\"#\n"),
    Case("a member of this name", "Rows/Other.swift", "let plan = Rows.Plan.self\n"),
    Case("a part of another name", "Rows/Other.swift", "let plans: PlanList, Plans: Int\n"),
    Case("a private type of this name", "Rows/Other.swift", "private struct Plan {}\nprivate let plan = Plan()\n"),
    Case("a private type of a folder above", "Rows/Other.swift", "let row: Row? = nil\n"),
    Case(
      "a type with attributes and modifiers", "Query/Running/Run.swift",
      "@unchecked public final class Run {}\nnonisolated indirect enum Part2 {}\n"),
    Case("a file outside of the folders", "Other.swift", "", .outsideFolders(file: "Other.swift")),
    Case("a file in a new folder", "Other/Other.swift", "", .outsideFolders(file: "Other/Other.swift")),
    Case("a listed folder without files", "Query/Running/Run.swift", nil, .emptyFolder("Query/Running")),
  ]

  @Test(arguments: cases)
  func `each breach is found, and nothing else`(_ made: Case) {
    var sources = Self.sound
    sources[made.file] = made.text
    #expect(LibraryLayers(folders: Self.folders, exceptions: []).breaches(in: sources) == made.breaches)
  }

  @Test func `an exception allows one type in one folder`() {
    let exception = LibraryLayers.Exception(folder: "Rows", types: ["Plan"], reason: "made up")
    let layers = LibraryLayers(folders: Self.folders, exceptions: [exception])
    #expect(layers.breaches(in: Self.sound) == [.needlessException(folder: "Rows", type: "Plan")])
    var sources = Self.sound
    sources["Rows/Other.swift"] = "extension Plan {}\n"
    #expect(layers.breaches(in: sources).isEmpty)
    sources["Rows/Other.swift"] = "extension Plan {}\nextension Run {}\n"
    #expect(layers.breaches(in: sources) == [.upwardMention(file: "Rows/Other.swift", type: "Run")])
  }

  @Test func `the list is read from its own section`() {
    let list = "## The library's layers\n\n1. `Top`: first\n2. `Low/Part`: second\n\n## The engine's layers\n\n1. `A`\n"
    #expect(LibraryLayers(document: list, exceptions: [])?.folders == ["Top", "Low/Part"])
    #expect(LibraryLayers(document: "## The engine's layers\n\n1. `A`\n", exceptions: []) == nil)
  }
}
