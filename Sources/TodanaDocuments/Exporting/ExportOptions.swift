public import Todana

/// The options of an export.
public struct ExportOptions {
  /// The condition, as in ``DocumentCollection/find(_:_:orderBy:limit:offset:)``; nil for all documents.
  public var condition: String?
  /// A value for each question mark of the condition.
  public var arguments: [(any Sendable)?]
  /// The paths to sort by; nil for the order of insertion.
  public var orderBy: String?
  /// The policy for documents that cannot be read.
  public var onDamage: DamagePolicy
  /// A closure that is called after each thousand documents with their number, and at the end.
  ///
  /// If it throws, there is no file, and the export throws the error.
  public var progress: ((Int) throws -> Void)?

  public init(
    where condition: String? = nil, arguments: [(any Sendable)?] = [], orderBy: String? = nil,
    onDamage: DamagePolicy = .fail, progress: ((Int) throws -> Void)? = nil
  ) {
    self.condition = condition
    self.arguments = arguments
    self.orderBy = orderBy
    self.onDamage = onDamage
    self.progress = progress
  }
}

/// An error of an export.
///
/// There is no file then, or the file that was there before.
public struct ExportError: Error, Sendable, CustomStringConvertible {
  public let code: Code
  /// The error in plain words.
  public let message: String
  /// The error that was the reason.
  public let underlying: (any Error)?

  @nonexhaustive
  public enum Code: Sendable {
    /// The file cannot be written.
    case cannotWrite
    /// A document has a value for which the format has no form; the underlying error has the reason.
    case notConvertible
    /// The documents are too large for the format.
    case tooLarge
    /// The task was cancelled.
    case cancelled
    /// An option has an invalid value.
    case invalidOption
  }

  init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  public var description: String { message }
}
