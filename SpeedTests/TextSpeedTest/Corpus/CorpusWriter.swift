import CZlib
import Foundation
import SpeedTestHarness

/// Writes texts to a file, one a line.
final class CorpusWriter {
  let most: Int
  private let file: FileHandle
  private var buffer: [UInt8] = []
  private var corpus: TextCorpus

  init(path: String, most: Int) throws(SpeedTestError) {
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else { throw .failed("cannot write \(path)") }
    self.file = file
    self.most = most
    corpus = TextCorpus(path: path, origin: "")
  }

  var isFull: Bool { corpus.count >= most }

  func add(_ text: some Collection<UInt8>) throws {
    guard !isFull, !text.isEmpty else { return }
    buffer += text
    buffer.append(UInt8(ascii: "\n"))
    corpus.count += 1
    corpus.byteCount += text.count
    if text.contains(where: { $0 >= 0x80 }) { corpus.otherCount += 1 }
    if buffer.count >= 1 << 20 { try flush() }
  }

  private func flush() throws {
    try file.write(contentsOf: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  func finish(origin: String) throws -> TextCorpus {
    try flush()
    try file.close()
    guard corpus.count > 0 else { throw SpeedTestError.wrongUse("\(origin) contains no texts") }
    return TextCorpus(
      path: corpus.path, origin: origin, count: corpus.count, byteCount: corpus.byteCount,
      otherCount: corpus.otherCount)
  }

  /// Adds the lines of a file that are UTF-8 and not empty.
  func addLines(of path: String) throws {
    try forEachLine(of: path) { line in
      if String(validating: line, as: UTF8.self) != nil { try add(line) }
      return !isFull
    }
  }

  // MARK: Documents

  /// The length in bytes at which a document is cut, at the next space.
  private static let cutLength = 5_000
  /// The minimum length of a text, in bytes.
  private static let leastLength = 500
  /// The maximum number of bytes that are read of a document.
  private static let mostOfDocument = 4 << 20

  /// Adds the texts of all documents in a directory, in the order of their paths.
  ///
  /// A file with zero bytes, or with bytes that are not UTF-8, is no document.
  func addDocuments(in directory: String) throws {
    guard let enumerator = FileManager.default.enumerator(atPath: directory) else {
      throw SpeedTestError.wrongUse("cannot read the directory \(directory)")
    }
    let paths = enumerator.compactMap { $0 as? String }.sorted()
    for path in paths where !isFull {
      let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + path)
      guard attributes?[.type] as? FileAttributeType == .typeRegular else { continue }
      try addDocument(readDocument(directory + "/" + path))
    }
  }

  private func addDocument(_ bytes: [UInt8]) throws {
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { return }
    var text: [UInt8] = []
    for byte in bytes {
      guard byte <= UInt8(ascii: " ") else {
        text.append(byte)
        continue
      }
      if text.count >= Self.cutLength {
        try add(text)
        text.removeAll(keepingCapacity: true)
      } else if let last = text.last, last != UInt8(ascii: " ") {
        text.append(UInt8(ascii: " "))
      }
    }
    if text.count >= Self.leastLength { try add(text) }
  }

  /// Returns the start of a file, which is decompressed if it was compressed by gzip; nothing if it cannot be read.
  private func readDocument(_ path: String) -> [UInt8] {
    guard let file = unsafe gzopen(path, "rb") else { return [] }
    defer { unsafe gzclose(file) }
    var document: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while document.count < Self.mostOfDocument {
      let count = unsafe part.withUnsafeMutableBytes { unsafe gzread(file, $0.baseAddress, UInt32($0.count)) }
      guard count >= 0 else { return [] }
      if count == 0 { break }
      document += part[..<Int(count)]
    }
    // The end may be in the middle of a character.
    if document.count >= Self.mostOfDocument { while let last = document.popLast(), last > 0x20 {} }
    return document
  }
}
