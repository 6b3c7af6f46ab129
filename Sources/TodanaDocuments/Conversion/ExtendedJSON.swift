internal import Foundation

/// The extended form of values that JSON lacks: dictionaries with one key, which begins with a dollar sign (``JSONForm``).
enum ExtendedJSON {
  private static let dateKey = "$date"
  private static let uuidKey = "$uuid"
  private static let bytesKey = "$bytes"
  private static let doubleKey = "$double"
  private static let keys = [dateKey, uuidKey, bytesKey, doubleKey]

  /// Returns the key and the content of the form of a value; nil if JSON has a form of its own for it.
  static func form(of value: DocumentValue) -> (key: String, content: DocumentValue)? {
    switch value.storage {
    case .date(let date):
      let text = DateForm.text(of: date).map { DocumentValue($0) }
      return (dateKey, text ?? DocumentValue(date.timeIntervalSinceReferenceDate))
    case .uuid(let uuid): return (uuidKey, DocumentValue(uuid.uuidString))
    case .bytes(let bytes): return (bytesKey, DocumentValue(bytes.base64EncodedString()))
    case .double(let number) where !number.isFinite:
      return (doubleKey, DocumentValue(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"))
    default: return nil
    }
  }

  /// Returns the form of a number that other coders would write as an integer, which need not have its exact value.
  static func form(ofLarge number: Double) -> (key: String, content: DocumentValue)? {
    number.isFinite && abs(number) >= 0x1p53 ? (doubleKey, DocumentValue("\(number)")) : nil
  }

  /// Returns the value that a dictionary of a JSON text expresses.
  static func value(of entries: DocumentDictionary) throws(DocumentError) -> DocumentValue {
    guard entries.count == 1, let (key, content) = entries.first, key.utf8.first == UInt8(ascii: "$") else {
      return DocumentValue(entries)
    }
    if isEscaped(key) { return DocumentValue([String(key.dropFirst()): content] as DocumentDictionary) }
    func required(_ value: DocumentValue?) throws(DocumentError) -> DocumentValue {
      if let value { return value }
      throw DocumentError(.invalidText, "the value of \"\(key)\" has no valid form")
    }
    switch key {
    case dateKey:
      if let seconds = content.double { return DocumentValue(Date(timeIntervalSinceReferenceDate: seconds)) }
      return try required(content.string.flatMap(DateForm.date).map { DocumentValue($0) })
    case uuidKey: return try required(content.string.flatMap { UUID(uuidString: $0) }.map { DocumentValue($0) })
    case bytesKey: return try required(content.string.flatMap { Data(base64Encoded: $0) }.map { DocumentValue($0) })
    case doubleKey:
      return try required(content.string.flatMap { Double($0) }.map { DocumentValue($0) })
    default: return DocumentValue(entries)
    }
  }

  /// Returns a dictionary with one more dollar sign if it would be mistaken for a value of another kind.
  static func escaped(_ entries: DocumentDictionary) -> DocumentDictionary {
    guard entries.count == 1, let (key, value) = entries.first, keys.contains(key) || isEscaped(key) else {
      return entries
    }
    return ["$" + key: value]
  }

  /// Whether a key is one of the known ones after more than one dollar sign.
  private static func isEscaped(_ key: String) -> Bool {
    key.hasPrefix("$$") && keys.contains("$" + key.drop { $0 == "$" })
  }
}

/// Dates as texts of ISO 8601, with as many digits as the date needs.
enum DateForm {
  /// Returns the text of a date in UTC; nil if no text has exactly its time.
  static func text(of date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    // The range is from the year 1 to the end of 9999.
    guard (-63_113_904_000..<252_423_993_600).contains(seconds) else { return nil }
    let whole = seconds.rounded(.down)
    let base = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
    if whole == seconds { return base }
    for digitCount in 1...15 {
      let fraction = String(format: "%.\(digitCount)f", seconds - whole)
      // A fraction that was rounded up to 1 is not exact with so few digits.
      guard fraction.hasPrefix("0.") else { continue }
      let text = "\(base.dropLast())\(fraction.dropFirst())Z"
      if self.date(text) == date { return text }
    }
    return nil
  }

  /// Parses a text; a time without a time zone is in UTC.
  static func date(_ text: String) -> Date? {
    // Foundation takes the 30th of February for a day in March.
    hasDay(text) ? anyDate(text) : nil
  }

  /// Returns whether the month of a text has its day, if the text begins with a date.
  private static func hasDay(_ text: String) -> Bool {
    let numbers = text.prefix(10).split(separator: "-").map { Int($0) }
    guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2] else { return true }
    switch month {
    case 4, 6, 9, 11: return day <= 30
    case 2: return day <= 28 || day == 29 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    default: return day <= 31
    }
  }

  private static func anyDate(_ text: String) -> Date? {
    guard let dot = text.firstIndex(of: ".") else { return try? Date.ISO8601FormatStyle().parse(text) }
    let rest = text[text.index(after: dot)...]
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let fraction = Double("0.\(digits)"),
      let whole = try? Date.ISO8601FormatStyle().parse("\(text[..<dot])\(rest.dropFirst(digits.count))")
    else { return nil }
    return Date(timeIntervalSinceReferenceDate: whole.timeIntervalSinceReferenceDate + fraction)
  }
}
