import Foundation

/// An interpreter of Python that has a module.
enum PythonInterpreter {
  /// Returns the path of the first interpreter that can import a module; nil if there is none.
  ///
  /// The names or paths of interpreters are separated by commas.
  static func find(module: String, among names: String) -> String? {
    for name in names.split(separator: ",").map(String.init) {
      guard let path = path(of: name) else { continue }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: path)
      process.arguments = ["-c", "import \(module)"]
      process.standardInput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { continue }
      process.waitUntilExit()
      if process.terminationReason == .exit, process.terminationStatus == 0 { return path }
    }
    return nil
  }

  /// Returns the path of a program, which is searched for in `PATH` if the name has no slash.
  private static func path(of name: String) -> String? {
    let directories = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    let candidates = name.contains("/") ? [name] : directories.map { $0 + "/" + name }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
