internal import CCSV

/// The fields of CSV rows, parsed by libcsv line by line.
///
/// Safe: it owns the parser that it points to, and libcsv uses the pointers of a call within it only.
@safe
final class CSVParser {
  /// A field of a row.
  enum Field: Equatable {
    /// An empty field without quotation marks.
    case missing
    case text(String)
    /// A field that is not UTF-8, or that has a NUL.
    case invalid
  }

  private let parser: UnsafeMutablePointer<csv_parser>
  /// The fields of the row that is being parsed.
  private(set) var fields: [Field] = []
  /// The number of fields, including those over the limit.
  private(set) var fieldCount = 0
  /// Whether the last line has ended the row.
  private(set) var isRowComplete = false
  /// Whether no row has begun.
  var isBetweenRows: Bool { unsafe parser.pointee.pstate == 0 }
  /// The number of fields that are kept.
  var fieldLimit = CSVParser.mostColumns

  /// The maximum number of columns.
  static let mostColumns = 1 << 14

  init(delimiter: UInt8) throws(ImportError) {
    unsafe parser = .allocate(capacity: 1)
    unsafe parser.initialize(to: csv_parser())
    let options = UInt8(CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL)
    guard unsafe csv_init(parser, options) == 0 else { throw ImportError(.cannotRead, "libcsv cannot be used") }
    unsafe csv_set_delim(parser, delimiter)
    // No byte is a space, so that nothing is trimmed.
    unsafe csv_set_space_func(parser) { _ in 0 }
  }

  deinit {
    unsafe csv_free(parser)
    unsafe parser.deallocate()
  }

  /// Parses a line with its end, or the beginning of a line; returns false if it is no CSV.
  func parse(_ line: UnsafeRawBufferPointer) -> Bool {
    if isRowComplete { beginRow() }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe csv_parse(parser, line.baseAddress, line.count, Self.takeField, Self.takeRow, context) == line.count
  }

  /// Ends the input; returns false if a quoted field has no end.
  func finish() -> Bool {
    if isRowComplete { beginRow() }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe csv_fini(parser, Self.takeField, Self.takeRow, context) == 0
  }

  /// Forgets the row that is being parsed, also after an error.
  func restart() {
    let delimiter = unsafe csv_get_delim(parser)
    unsafe csv_free(parser)
    let options = UInt8(CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL)
    // It fails for a null pointer only.
    _ = unsafe csv_init(parser, options)
    unsafe csv_set_delim(parser, delimiter)
    unsafe csv_set_space_func(parser) { _ in 0 }
    beginRow()
  }

  private func beginRow() {
    fields.removeAll(keepingCapacity: true)
    fieldCount = 0
    isRowComplete = false
  }

  private func take(_ field: Field) {
    fieldCount += 1
    if fields.count < fieldLimit { fields.append(field) }
  }

  private static let takeField: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Void = {
    bytes, count, context in
    guard let context = unsafe context else { return }
    // The context is the parser, which the caller holds.
    let parser = unsafe Unmanaged<CSVParser>.fromOpaque(context).takeUnretainedValue()
    guard let bytes = unsafe bytes else { return parser.take(.missing) }
    let field = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    guard let text = unsafe String(validating: field, as: UTF8.self), !text.utf8.contains(0) else {
      return parser.take(.invalid)
    }
    parser.take(.text(text))
  }

  private static let takeRow: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = { _, context in
    guard let context = unsafe context else { return }
    // The context is the parser, which the caller holds.
    unsafe Unmanaged<CSVParser>.fromOpaque(context).takeUnretainedValue().isRowComplete = true
  }
}
