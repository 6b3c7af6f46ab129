import Todana

/// The script of the first letter of a line, by blocks of Unicode.
enum Script: UInt8, OrderedValue, CustomStringConvertible {
  case other, latin, greek, cyrillic, hebrew, arabic, indic, thai, kana, han, hangul

  init(of text: String) {
    for scalar in text.unicodeScalars where scalar.properties.isAlphabetic {
      self = Self(of: scalar)
      return
    }
    self = .other
  }

  private init(of letter: Unicode.Scalar) {
    self =
      switch letter.value {
      case ..<0x250, 0x1E00...0x1EFF, 0xFF21...0xFF5A: .latin
      case 0x370...0x3FF, 0x1F00...0x1FFF: .greek
      case 0x400...0x52F: .cyrillic
      case 0x590...0x5FF: .hebrew
      case 0x600...0x77F, 0xFB50...0xFDFF, 0xFE70...0xFEFF: .arabic
      case 0x900...0xDFF: .indic
      case 0xE00...0xE7F: .thai
      case 0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9D: .kana
      case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: .han
      case 0x1100...0x11FF, 0x3130...0x318F, 0xAC00...0xD7AF: .hangul
      default: .other
      }
  }

  var description: String {
    switch self {
    case .other: "other"
    case .latin: "Latin"
    case .greek: "Greek"
    case .cyrillic: "Cyrillic"
    case .hebrew: "Hebrew"
    case .arabic: "Arabic"
    case .indic: "Indic"
    case .thai: "Thai"
    case .kana: "Kana"
    case .han: "Han"
    case .hangul: "Hangul"
    }
  }
}
