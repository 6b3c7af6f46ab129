// What fuzzers are given, and what they found, once more without them (docs/fuzzing.md).
import Foundation
import FuzzTargets
import Testing

/// A finding ends the process.
///
/// One after the other: targets share a scratch directory.
@Suite(.serialized) struct FuzzCorpusTests {
  static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fuzz/Corpus")
    .standardized

  @Test(arguments: FuzzTarget.allCases)
  func `no input of the corpus is a finding`(_ target: FuzzTarget) throws {
    let directory = Self.corpus.appending(path: target.rawValue)
    let inputs = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    #expect(inputs.count >= 5)
    for input in inputs { unsafe try Data(contentsOf: input).withUnsafeBytes { unsafe target.run($0) } }
  }
}
