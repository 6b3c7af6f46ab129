import CProcess
import Foundation
import TodanaArchive

/// The command line as it was typed, byte for byte: paths need not be UTF-8, while Swift's texts are.
///
/// A byte that belongs to no UTF-8 character stands in a text as one of 128 scalars for private use. Where somebody typed
/// such a scalar, its own bytes stand so. Texts therefore tell all that was typed, whatever parses them in between.
enum TypedArguments {
  /// Stands for the byte 0; those from 0x80 on are used.
  private static let firstStandIn: UInt32 = 0x10F700

  /// The arguments after the program's name.
  ///
  /// As the C library has them. Swift reads them from `/proc`, and without it a command line would seem empty.
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

  /// Returns the bytes that were typed for a text.
  static func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in byte(of: scalar).map { [$0] } ?? Array(UTF8.encode(scalar) ?? .init()) }
  }

  /// The byte that a scalar stands for; nil for any other scalar.
  static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    guard scalar.value >= firstStandIn + 0x80, scalar.value <= firstStandIn + 0xFF else { return nil }
    return UInt8(scalar.value - firstStandIn)
  }
}
