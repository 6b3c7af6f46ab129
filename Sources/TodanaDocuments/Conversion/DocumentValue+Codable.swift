internal import Foundation

extension DocumentValue {
  /// Makes a value of any encodable value: a structure becomes a dictionary, an array an array.
  ///
  /// `Date`, `UUID`, `Data` and values of documents keep their kinds. Unsigned integers beyond `Int64` are refused.
  ///
  /// ```swift
  /// struct Address: Codable { var country: String; var city: String? }
  /// let value = try DocumentValue(encoding: Address(country: "US"))   // ["country": "US"]
  /// let address = try value.decode(Address.self)
  /// ```
  ///
  /// - Throws: ``DocumentError/Code/notConvertible`` if the value cannot be encoded, ``DocumentError/Code/tooDeep``,
  ///   ``DocumentError/Code/numberOutOfRange``.
  public init(encoding value: some Encodable) throws(DocumentError) {
    do {
      self = try DocumentEncoder.value(of: value, at: [])
    } catch let error as DocumentError {
      throw error
    } catch {
      throw DocumentError(.notConvertible, "a value of the type \(type(of: value)) cannot be encoded: \(error)")
    }
  }

  /// Decodes a value of any decodable type.
  ///
  /// A whole floating-point number is accepted as an integer, and an integer as a floating-point number if it is exact.
  ///
  /// - Throws: ``DocumentError/Code/notConvertible`` if the value has no valid form of the type.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(DocumentError) -> Value {
    do {
      return try DocumentDecoder.decode(type, from: self, at: [])
    } catch {
      throw DocumentError(.notConvertible, "a value of the type \(type) cannot be decoded: \(error)")
    }
  }
}

/// A value encodes itself in the extended form of ``JSONForm``, so that every coder restores it.
extension DocumentValue: Codable {
  public func encode(to encoder: any Encoder) throws {
    var form = ExtendedJSON.form(of: self)
    if case .double(let number) = storage, form == nil { form = ExtendedJSON.form(ofLarge: number) }
    if let (key, content) = form {
      var container = encoder.container(keyedBy: DocumentKey.self)
      return try container.encode(content, forKey: DocumentKey(key))
    }
    switch storage {
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .dictionary(let entries):
      var container = encoder.container(keyedBy: DocumentKey.self)
      for (key, value) in ExtendedJSON.escaped(entries) { try container.encode(value, forKey: DocumentKey(key)) }
    default:
      var container = encoder.singleValueContainer()
      switch storage {
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      default: try container.encodeNil()
      }
    }
  }

  public init(from decoder: any Decoder) throws {
    if decoder.codingPath.count > BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    if let container = try? decoder.container(keyedBy: DocumentKey.self) {
      var entries = DocumentDictionary()
      for key in container.allKeys {
        entries[key.stringValue] = try container.decode(DocumentValue.self, forKey: key)
      }
      self = try ExtendedJSON.value(of: entries)
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var values: [DocumentValue] = []
      while !container.isAtEnd { values.append(try container.decode(DocumentValue.self)) }
      self.init(values)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self.init(value)
    } else if let value = try? container.decode(Int64.self) {
      self.init(value)
    } else if let value = try? container.decode(Double.self) {
      self.init(value)
    } else {
      self.init(try container.decode(String.self))
    }
  }
}

/// A key of any name.
struct DocumentKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ key: String) { self.init(stringValue: key) }

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}
