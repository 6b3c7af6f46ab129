import CUnicode
import Foundation
import TestSupport
import Testing

@testable import Todana

/// Folding, compared with an independent program that uses ICU.
@Suite struct FoldingTests {
  private static let program = Checkout.file("Tests/Independent/folding.py").path

  @Test func `texts are folded as by an independent program`() throws {
    var random = SeededGenerator(seed: 1)
    let all = (0..<0x110000).compactMap { Unicode.Scalar(UInt32($0)) }
    // Nearly all scalars of the later planes are not assigned, or ideographs.
    let scalars = LongTests.areEnabled ? all : all.filter { $0.value < 0x3400 || $0.value % 37 == 0 }
    // Scalars that combine with others, decompose, or compose are rare, so they are drawn more often.
    let lively = all.filter { scalar in
      scalar.properties.canonicalCombiningClass != .notReordered || scalar.properties.changesWhenNFKCCaseFolded
    }
    let few = Array("aeioAEzkİıßſΣς가각\u{1100}\u{1161}\u{11A8}\u{301}\u{345}\u{3099}か \u{9C7}\u{9BE}".unicodeScalars)
    var texts = scalars.map { String($0) }
    for _ in 0..<(LongTests.areEnabled ? 300_000 : 20_000) {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let source = Bool.random(using: &random) ? few : Bool.random(using: &random) ? lively : scalars
        if let scalar = source.randomElement(using: &random) { text.append(scalar) }
      }
      texts.append(String(text))
    }
    let directory = try TemporaryDirectory()
    let path = directory.path("texts")
    let lines = texts.map { hex(Array($0.utf8)) }.joined(separator: "\n")
    try lines.write(toFile: path, atomically: false, encoding: .utf8)
    let child = try ChildProcess(executable: "/usr/bin/python3", [Self.program, path])
    let answers = child.remainingLines()
    try #require(child.waitForExit() == 0)
    let version = try #require(answers.first)
    guard version == "\(tdu_unicode_version() / 10).\(tdu_unicode_version() % 10)" else {
      try Test.cancel("ICU has Unicode \(version), and the tables \(tdu_unicode_version())")
    }
    try #require(answers.count == texts.count + 1)
    func ours(_ text: String) -> String { "\(hex(TextFolding.fold(text))) \(hex(TextFolding.foldCase(text)))" }
    if let (text, answer) = zip(texts, answers.dropFirst()).first(where: { ours($0) != $1 }) {
      Issue.record("\(hex(Array(text.utf8))): \(ours(text)), not \(answer)")
    }
  }

  @Test func `folding a folded text changes nothing`() {
    let changed = (0..<0x30000 as Range<UInt32>).first { value in
      guard let scalar = Unicode.Scalar(value) else { return false }
      let folded = TextFolding.fold(String(scalar))
      return TextFolding.fold(String(decoding: folded, as: UTF8.self)) != folded
    }
    #expect(changed == nil)
  }

  @Test(arguments: [
    ["Écoute", "ECOUTE", "ecoute", "e\u{301}coute"], ["Straße", "STRASSE"], ["ﬁn", "FIN"], ["Ｂｌｕｅ", "blue"],
    ["Łódź", "lodz"], ["Ærø", "aero"], ["ΣΊΣΥΦΟΣ", "σισυφος"], ["ﾊﾟ", "パ", "ハ\u{309A}"],
    ["한", "\u{1112}\u{1161}\u{11AB}"], ["soft\u{AD}ware", "software"], ["ᾳ\u{301}", "\u{3B1}\u{301}\u{345}"],
  ])
  func `texts that differ in case, accents or form only are the same`(_ texts: [String]) {
    #expect(Set(texts.map { TextFolding.fold($0) }).count == 1, "\(texts.map { hex(TextFolding.fold($0)) })")
  }

  @Test(arguments: [["か", "が"], ["は", "ば", "ぱ"], ["कि", "की", "क"], ["กา", "กี", "ก"], ["하", "한"]])
  func `marks that make another letter count`(_ texts: [String]) {
    #expect(Set(texts.map { TextFolding.fold($0) }).count == texts.count)
  }

  @Test func `without case, accents and compatibility forms count`() {
    #expect(TextFolding.foldCase("ÉCOUTE") == TextFolding.foldCase("e\u{301}coute"))
    #expect(TextFolding.foldCase("Écoute") != TextFolding.foldCase("Ecoute"))
    #expect(TextFolding.foldCase("x²") != TextFolding.foldCase("x2"))
    #expect(TextFolding.fold("x²") == TextFolding.fold("X2"))
  }

  @Test func `long texts of marks take no longer than linear time`() {
    // With quadratic time this would take many minutes.
    let text = "a" + String(repeating: "\u{301}\u{316}\u{3099}", count: 300_000)
    #expect(TextFolding.fold(text).count == 1 + 900_000)
    // The first acute accent is composed with the letter.
    #expect(TextFolding.foldCase(text).count == 2_100_000)
  }

  private func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
