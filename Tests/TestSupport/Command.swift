import Foundation

/// The programs of the system.
public enum Command {
  public struct Failure: Error, CustomStringConvertible { public var description: String }

  /// Runs a program, and returns its output.
  ///
  /// - Throws: ``Failure`` if it fails.
  @discardableResult
  public static func run(_ name: String, _ arguments: [String], in directory: String? = nil) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    if let directory { process.currentDirectoryURL = URL(filePath: directory) }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(name) \(arguments): \(process.terminationStatus)")
    }
    return Array(data)
  }

  public static func isInstalled(_ name: String) -> Bool { (try? run("which", [name])) != nil }
}
