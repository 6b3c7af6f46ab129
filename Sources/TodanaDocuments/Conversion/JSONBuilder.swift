internal import CJSON
internal import Foundation

/// A builder of a value from the parts of a JSON text.
final class JSONBuilder {
  private let form: JSONForm
  /// The arrays and dictionaries that have begun and not ended, the outermost first.
  private var open: [Container] = []
  private var result: DocumentValue?
  private var failure: DocumentError?

  private enum Container {
    case array([DocumentValue])
    case dictionary(DocumentDictionary, key: String)
  }

  private init(_ form: JSONForm) { self.form = form }

  /// Parses a text in UTF-8.
  static func value(of text: UnsafeRawBufferPointer, _ form: JSONForm) throws(DocumentError) -> DocumentValue {
    let builder = JSONBuilder(form)
    var offset = 0
    var message: UnsafePointer<CChar>?
    let context = unsafe Unmanaged.passUnretained(builder).toOpaque()
    let outcome = unsafe tdj_parse(
      text.bindMemory(to: CChar.self).baseAddress, text.count, context,
      { context, part, bytes, count in
        let builder = unsafe Unmanaged<JSONBuilder>.fromOpaque(context).takeUnretainedValue()
        let text = unsafe UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
        return unsafe builder.take(part, text)
      }, &offset, &message)
    if let failure = builder.failure { throw DocumentError(failure.code, failure.message, at: offset) }
    guard outcome == TDJ_PARSED else {
      let reason = unsafe message.map { unsafe String(cString: $0) } ?? ""
      throw outcome == TDJ_TOO_LARGE
        ? DocumentError(.numberOutOfRange, "a number is beyond the range of Double", at: offset)
        : DocumentError(.invalidText, "the text is no JSON: \(reason)", at: offset)
    }
    guard let result = builder.result else { throw DocumentError(.invalidText, "the text is no JSON", at: offset) }
    return result
  }

  /// Takes a part; returns false if the text cannot be converted.
  private func take(_ part: tdj_part, _ text: UnsafeRawBufferPointer) -> Bool {
    do throws(DocumentError) {
      switch part {
      case TDJ_NULL: add(.null)
      case TDJ_FALSE: add(false)
      case TDJ_TRUE: add(true)
      case TDJ_NUMBER: add(try Self.number(unsafe String(decoding: text, as: UTF8.self)))
      case TDJ_STRING: add(DocumentValue(unsafe String(decoding: text, as: UTF8.self)))
      case TDJ_KEY: unsafe setKey(String(decoding: text, as: UTF8.self))
      case TDJ_ARRAY_START: try begin(.array([]))
      case TDJ_OBJECT_START: try begin(.dictionary(DocumentDictionary(), key: ""))
      default: try end()
      }
      return true
    } catch {
      failure = error
      return false
    }
  }

  private func begin(_ container: Container) throws(DocumentError) {
    if open.count == BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    open.append(container)
  }

  private func end() throws(DocumentError) {
    switch open.popLast() {
    case .array(let elements)?: add(DocumentValue(elements))
    case .dictionary(let entries, _)?:
      add(form == .extended ? try ExtendedJSON.value(of: entries) : DocumentValue(entries))
    case nil: return
    }
  }

  private func setKey(_ key: String) {
    // The last container is changed in place: it is taken out, so that it has no other owner.
    guard case .dictionary(let entries, _)? = open.popLast() else { return }
    open.append(.dictionary(entries, key: key))
  }

  private func add(_ value: DocumentValue) {
    switch open.popLast() {
    case .array(var elements)?:
      elements.append(value)
      open.append(.array(elements))
    case .dictionary(var entries, let key)?:
      entries[key] = value
      open.append(.dictionary(entries, key: key))
    case nil: result = value
    }
  }

  private static func number(_ text: String) throws(DocumentError) -> DocumentValue {
    if let integer = Int64(text) { return DocumentValue(integer) }
    let shown = text.utf8.count > 40 ? "\(text.prefix(40))…" : text
    guard let number = Double(text), number.isFinite else {
      throw DocumentError(.numberOutOfRange, "the number \(shown) is beyond the range of Double")
    }
    // The form of a finite Double without a fraction has all of its digits.
    if text.utf8.allSatisfy({ !".eE".utf8.contains($0) }), String(format: "%.0f", number) != text {
      throw DocumentError(
        .numberOutOfRange, "the integer \(shown) has more than 64 bits, and Double has no number of its exact value")
    }
    return DocumentValue(number)
  }
}
