import CUnicode

/// The folding of texts, which ignores case and accents: `"Écoute"` and `"ECOUTE"` have the same folded text.
///
/// The tables are the library's own, so the folding does not depend on the system or on Swift. Each character is mapped
/// by NFKC_Casefold (Unicode Standard Annex 44): `"Straße"` and `"STRASSE"` are equal, and so are `"ﬁ"` and `"fi"`. Then
/// accents are removed, and the result is composed. Vowel signs and voicing marks that make another letter, as in
/// Devanagari, Thai and kana, stay. No rules of a language apply.
enum TextFolding {
  /// The version of the folding; an index that was built with another version is built again.
  static var version: Int { 2000 + Int(tdu_unicode_version()) }

  /// Returns the folded text in UTF-8.
  static func fold(_ text: String) -> [UInt8] { folded(text, TDU_FOLD_CASE_AND_ACCENTS) }

  /// Returns the text without case, but with accents, in UTF-8.
  ///
  /// Canonically equivalent texts give the same result.
  static func foldCase(_ text: String) -> [UInt8] { folded(text, TDU_FOLD_CASE) }

  private static func folded(_ text: String, _ folding: tdu_folding) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes in
      // Few texts become longer than this by folding.
      var capacity = bytes.count + bytes.count / 2 + 32
      while true {
        var needed = 0
        let folded = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
          needed = unsafe tdu_fold(
            bytes.baseAddress, bytes.count, Int32(bitPattern: folding.rawValue), output.baseAddress, capacity)
          count = 0...capacity ~= needed ? needed : 0
        }
        // SIZE_MAX is imported as -1. An array of Swift that cannot grow ends the program, too.
        precondition(needed >= 0, "There is no memory to fold a text.")
        if needed <= capacity { return folded }
        capacity = needed
      }
    }
  }
}
