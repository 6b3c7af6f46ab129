public import struct Foundation.Data

extension DocumentValue {
  /// Parses a JSON text.
  ///
  /// The order of keys is kept. If a key occurs twice in an object, its last value counts. A number without a decimal
  /// point and an exponent is an integer. One beyond 64 bits is a floating-point number if that has exactly its value.
  ///
  /// ```swift
  /// let value = try DocumentValue(json: #"{"name": "Doe", "joined": {"$date": "2026-11-30T08:15:21Z"}}"#)
  /// ```
  ///
  /// - Throws: ``DocumentError/Code/invalidText``, with the place; ``DocumentError/Code/numberOutOfRange`` for an integer
  ///   that cannot be represented exactly, or for a number beyond the range of `Double`; ``DocumentError/Code/tooDeep``.
  public init(json text: String, _ form: JSONForm = .extended) throws(DocumentError) {
    var text = text
    let result = text.withUTF8 { utf8 in
      Result { () throws(DocumentError) in try unsafe JSONBuilder.value(of: UnsafeRawBufferPointer(utf8), form) }
    }
    self = try result.get()
  }

  /// Parses a JSON text in UTF-8, as ``init(json:_:)-(String,_)`` does.
  public init(json text: Data, _ form: JSONForm = .extended) throws(DocumentError) {
    let result = unsafe text.withUnsafeBytes { utf8 in
      Result { () throws(DocumentError) in try unsafe JSONBuilder.value(of: utf8, form) }
    }
    self = try result.get()
  }

  /// Returns the value as a JSON text.
  ///
  /// Keys keep their order, and there is no white space unless the text is for people.
  ///
  /// - Parameters:
  ///   - form: The form of values that JSON lacks.
  ///   - isPretty: Whether each value has a line of its own, indented by two spaces.
  /// - Returns: The text.
  /// - Throws: ``DocumentError/Code/notConvertible`` for NaN and infinities in the plain form,
  ///   ``DocumentError/Code/tooDeep``.
  public func json(_ form: JSONForm = .extended, isPretty: Bool = false) throws(DocumentError) -> String {
    let writer = try JSONWriter(form, isPretty: isPretty)
    try writer.append(self)
    return writer.text
  }
}

extension DocumentValue: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value as extended JSON, for people.
  public var description: String {
    do throws(DocumentError) {
      return try json()
    } catch {
      return "a value without a text: \(error)"
    }
  }

  public var debugDescription: String { description }
}

extension DocumentDictionary: CustomStringConvertible, CustomDebugStringConvertible {
  /// The entries as extended JSON, for people.
  public var description: String { DocumentValue(self).description }

  public var debugDescription: String { description }
}
