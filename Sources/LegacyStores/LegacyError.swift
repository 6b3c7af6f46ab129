/// An error of a file of an older library, or of one object in it.
package struct LegacyError: Error, Sendable, Equatable, CustomStringConvertible {
  package let code: Code
  /// The error in plain words, without the file.
  package let message: String

  package enum Code: Sendable {
    /// The file or directory cannot be opened or read.
    case cannotOpen
    /// The file is no database of the library that the reader is for.
    case notADatabase
    /// The database lacks a table, or a table lacks a column.
    case wrongSchema
    /// Bytes contradict the format of the file.
    case damaged
    /// The file has changes that were not committed completely.
    case unfinishedTransaction
    /// The file is compressed, which the library never does by itself.
    case compressed
    /// The passphrase decrypts no record.
    case wrongPassphrase
    /// The bytes of a record do not belong to its schema.
    case invalidRecord
    /// The description of a class has an error.
    case invalidSchema
    /// An archive contains an object of a class that is not one of the supported ones.
    case unsupportedClass
    /// An object contains itself.
    case cyclic
    /// Arrays and dictionaries are nested more than 100 levels deep.
    case tooDeep
    /// An object has more values or bytes than the reader accepts.
    case tooLarge
    /// A text is not valid UTF-8 or UTF-16.
    case invalidText
  }

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
