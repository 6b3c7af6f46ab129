internal import Foundation

/// The rows of a property list: the elements of its array.
///
/// The file is in memory as a whole.
final class PropertyListSource: RowSource {
  /// The maximum size of a file.
  static let byteLimit = 64 << 20

  private let elements: [DocumentValue]
  /// The number of elements that were returned, which takes the place of a byte offset.
  private var position: Int
  var place: RowPlace { RowPlace(byteOffset: position) }
  let canContinue = true

  init(_ input: ByteInput, from place: RowPlace?) throws {
    position = place?.byteOffset ?? 0
    var bytes: [UInt8] = []
    while true {
      let piece = try input.read()
      if piece.isEmpty { break }
      bytes += piece
      if bytes.count > Self.byteLimit {
        throw ImportError(.tooLarge, "\(input.name) has more than \(Self.byteLimit) bytes, the limit of property lists")
      }
    }
    do throws(DocumentError) {
      guard let elements = try DocumentValue(propertyList: Data(bytes)).array else {
        throw DocumentError(.wrongKind, "the property list is not an array of dictionaries")
      }
      self.elements = elements
    } catch {
      throw ImportError(.invalidText, error.message, underlying: error)
    }
  }

  func next() throws -> ImportedRow? {
    guard position < elements.count else { return nil }
    let start = place
    position += 1
    return ImportedRow(value: elements[position - 1], start: start, end: place)
  }
}
