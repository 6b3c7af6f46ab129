// The fuzzers' corpus and earlier findings, run without a fuzzer (docs/fuzzing.md).
import Foundation
import FuzzTargets
import TestSupport
import Testing

/// All fuzz targets, run on their corpus; a finding ends the process.
///
/// Serialized, because the targets share a scratch directory.
@Suite(.serialized) struct FuzzCorpusTests {
  static let corpus = Checkout.file("Fuzz/Corpus")

  @Test(arguments: FuzzTarget.allCases)
  func `no input of the corpus is a finding`(_ target: FuzzTarget) throws {
    let directory = Self.corpus.appending(path: target.rawValue)
    let inputs = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    #expect(inputs.count >= 5)
    for input in inputs { unsafe try Data(contentsOf: input).withUnsafeBytes { unsafe target.run($0) } }
  }

  @Test func `the script runs all fuzzers`() throws {
    let script = try String(contentsOf: Checkout.file("Scripts/fuzz"), encoding: .utf8)
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
    #expect(script.contains("all=\"\(names)\"\n"))
  }
}
