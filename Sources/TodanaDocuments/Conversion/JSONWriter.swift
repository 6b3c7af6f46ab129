internal import CJSON
internal import Foundation

/// A writer of values as JSON.
///
/// Safe: it owns the writer that it points to.
@safe
final class JSONWriter {
  private let form: JSONForm
  private let writer: OpaquePointer
  private var depth = 0

  init(_ form: JSONForm, isPretty: Bool) throws(DocumentError) {
    guard let writer = unsafe tdj_writer_new(isPretty) else { throw Self.outOfMemory }
    self.form = form
    unsafe self.writer = writer
  }

  deinit { unsafe tdj_writer_free(writer) }

  /// The text of the values that were written.
  var text: String {
    var count = 0
    let bytes = unsafe tdj_written(writer, &count)
    return unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func append(_ value: DocumentValue) throws(DocumentError) {
    switch value.storage {
    case .null: try write(TDJ_NULL)
    case .bool(let value): try write(value ? TDJ_TRUE : TDJ_FALSE)
    case .integer(let value): try write(TDJ_NUMBER, "\(value)")
    case .double(let value) where value.isFinite: try write(TDJ_NUMBER, "\(value)")
    case .string(let value): try write(TDJ_STRING, value)
    case .array(let values):
      try nest(TDJ_ARRAY_START, TDJ_ARRAY_END) { () throws(DocumentError) in for value in values { try append(value) } }
    case .dictionary(let entries): try append(form == .extended ? ExtendedJSON.escaped(entries) : entries)
    case .double, .date, .uuid, .bytes: try appendExtended(value)
    }
  }

  private func append(_ entries: DocumentDictionary) throws(DocumentError) {
    try nest(TDJ_OBJECT_START, TDJ_OBJECT_END) { () throws(DocumentError) in
      for (key, value) in entries {
        try write(TDJ_KEY, key)
        try append(value)
      }
    }
  }

  /// Writes a value that JSON has no form for.
  private func appendExtended(_ value: DocumentValue) throws(DocumentError) {
    guard let (key, content) = ExtendedJSON.form(of: value) else { return }
    if form == .extended { return try append([key: content] as DocumentDictionary) }
    if value.kind == .number {
      throw DocumentError(.notConvertible, "JSON has no form for \(content.string ?? "the number")")
    }
    try append(content)
  }

  private func nest(
    _ start: tdj_part, _ end: tdj_part, _ body: () throws(DocumentError) -> Void
  ) throws(DocumentError) {
    if depth == BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    depth += 1
    try write(start)
    try body()
    try write(end)
    depth -= 1
  }

  private func write(_ part: tdj_part, _ text: String = "") throws(DocumentError) {
    var text = text
    let isWritten = text.withUTF8 { utf8 in
      unsafe UnsafeRawBufferPointer(utf8).withMemoryRebound(to: CChar.self) {
        unsafe tdj_write(writer, part, $0.baseAddress, $0.count)
      }
    }
    if !isWritten { throw Self.outOfMemory }
  }

  private static var outOfMemory: DocumentError {
    DocumentError(.tooLarge, "there is not enough memory for a JSON text")
  }
}
