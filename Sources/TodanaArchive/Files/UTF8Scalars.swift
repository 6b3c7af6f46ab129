/// Calls `body` for each Unicode scalar with its encoded bytes, and with nil for each sequence that is not UTF-8.
package func forEachScalar(of bytes: [UInt8], _ body: (Unicode.Scalar?, ArraySlice<UInt8>) -> Void) {
  var parser = UTF8.ForwardParser()
  var iterator = bytes.makeIterator()
  var offset = 0
  while true {
    let scalar: Unicode.Scalar?
    let byteCount: Int
    switch parser.parseScalar(from: &iterator) {
    case .valid(let encoded): (scalar, byteCount) = (UTF8.decode(encoded), encoded.count)
    case .error(let length): (scalar, byteCount) = (nil, length)
    case .emptyInput: return
    }
    body(scalar, bytes[offset..<offset + byteCount])
    offset += byteCount
  }
}
