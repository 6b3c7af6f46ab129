@_spi(_Unicode) import Swift

/// The folding of texts, which ignores case and accents: `"Écoute"` and `"ECOUTE"` have the same folded text.
///
/// A text is canonically decomposed (Unicode Standard Annex 15) and loses its nonspacing marks. The rest is converted
/// to upper case and then to lower case, so that `"Straße"` and `"STRASSE"` are equal as well. No rules of a language
/// apply.
enum TextFolding {
  /// The version of the folding; an index that was built with another version is built again.
  static let version = 100 + unicodeVersion

  /// Returns the folded text in UTF-8.
  static func fold(_ text: String) -> [UInt8] {
    var text = text
    if let ascii = text.withUTF8({ unsafe foldASCII($0) }) { return ascii }
    var folded: [UInt8] = []
    folded.reserveCapacity(text.utf8.count)
    for scalar in text._nfd where scalar.properties.generalCategory != .nonspacingMark {
      if scalar.isASCII {
        folded.append(lowercase(UInt8(truncatingIfNeeded: scalar.value)))
        continue
      }
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        folded.append(contentsOf: upper.properties.lowercaseMapping.utf8)
      }
    }
    return folded
  }

  /// Returns the text without case, but with accents, in UTF-8.
  ///
  /// Canonically equivalent texts give the same result.
  static func foldCase(_ text: String) -> [UInt8] {
    var text = text
    if let ascii = text.withUTF8({ unsafe foldASCII($0) }) { return ascii }
    var folded = ""
    // Decomposed texts may become different by the change of case, so the result is decomposed again.
    for scalar in text._nfd {
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        folded.append(upper.properties.lowercaseMapping)
      }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(folded.utf8.count)
    for scalar in folded._nfd { bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }
    return bytes
  }

  private static func foldASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var folded: [UInt8] = []
    folded.reserveCapacity(bytes.count)
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      if byte >= 0x80 { return nil }
      folded.append(lowercase(byte))
    }
    return folded
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// The newest version of Unicode that the standard library knows, times ten.
  ///
  /// Each version is recognized by a scalar that it introduced.
  private static let unicodeVersion: Int = {
    let firstScalars: [(version: Int, scalar: Unicode.Scalar)] = [
      (140, "\u{0870}"), (150, "\u{0CF3}"), (151, "\u{2FFC}"), (160, "\u{1C89}"), (170, "\u{088F}"),
    ]
    return firstScalars.last { $0.scalar.properties.age != nil }?.version ?? 130
  }()
}
