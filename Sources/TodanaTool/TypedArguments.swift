import ArgumentParser
import CProcess
import Foundation
import TodanaArchive

/// The command line byte for byte: paths need not be UTF-8, while Swift strings are.
///
/// In a string, a byte that belongs to no UTF-8 character is represented by one of 128 private-use scalars. If the user
/// typed such a scalar, its bytes are represented in the same way. The mapping is therefore reversible, even after the
/// parser has split or joined the strings.
enum TypedArguments {
  /// The scalar for byte 0; only those for bytes from 0x80 on are used.
  private static let firstStandIn: UInt32 = 0x10F700

  /// The arguments after the program's name.
  ///
  /// They are read from the C library, because Swift reads them from `/proc`, and returns none if that is missing.
  static var all: [String] {
    var arguments: [String] = []
    guard var next = unsafe tdp_arguments() ?? UnsafePointer(CommandLine.unsafeArgv) else { return [] }
    while let argument = unsafe next.pointee {
      unsafe arguments.append(
        text(UnsafeBufferPointer(start: argument, count: strlen(argument)).map { UInt8(bitPattern: $0) }))
      unsafe next += 1
    }
    return Array(arguments.dropFirst())
  }

  static func text(_ bytes: [UInt8]) -> String {
    var text = ""
    forEachScalar(of: bytes) { scalar, encoded in
      if let scalar, byte(of: scalar) == nil {
        text.unicodeScalars.append(scalar)
      } else {
        text.unicodeScalars += encoded.compactMap { Unicode.Scalar(firstStandIn + UInt32($0)) }
      }
    }
    return text
  }

  /// Returns the typed bytes of a string.
  static func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in byte(of: scalar).map { [$0] } ?? Array(UTF8.encode(scalar) ?? .init()) }
  }

  /// Checks the path of a store, an archive or a series, which the library takes as a string.
  ///
  /// - Throws: `ValidationError` if it is not UTF-8: the library would use another path.
  static func checkPath(_ path: String) throws(ValidationError) {
    guard path.unicodeScalars.contains(where: { byte(of: $0) != nil }) else { return }
    throw ValidationError(
      "“\(printable(path))” is not UTF-8, as the path of a store, an archive or a series of backups must be: rename it."
    )
  }

  /// Returns the byte that a scalar represents; nil for any other scalar.
  static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    guard scalar.value >= firstStandIn + 0x80, scalar.value <= firstStandIn + 0xFF else { return nil }
    return UInt8(scalar.value - firstStandIn)
  }
}
