// The functions that libFuzzer calls; libFuzzer has the main function. TODANA_FUZZ_TARGET names the decoder to run.
//
// With `--write-seeds DIRECTORY`, the program writes the seeds of each decoder to a directory of its own, and exits.
import Foundation
import FuzzTargets

/// Prints a message and exits.
///
/// Incorrect use is not a finding, so it must not look like a crash.
private func stop(_ message: String) -> Never {
  FileHandle.standardError.write(Data("Fuzzer: \(message)\n".utf8))
  exit(2)
}

private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["TODANA_FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    stop("TODANA_FUZZ_TARGET is one of " + FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))
  }
  return target
}()

@c(LLVMFuzzerInitialize)
func initialize(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
  let arguments = CommandLine.arguments
  guard arguments.count == 3, arguments[1] == "--write-seeds" else { return 0 }
  do {
    for target in FuzzTarget.allCases {
      let directory = URL(filePath: arguments[2]).appending(path: target.rawValue)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      for (index, seed) in target.seeds.enumerated() {
        try Data(seed).write(to: directory.appending(path: "seed-\(index < 10 ? "0" : "")\(index)"))
      }
    }
  } catch {
    stop("the seeds cannot be written: \(error)")
  }
  exit(0)
}

@c(LLVMFuzzerTestOneInput)
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ byteCount: Int) -> CInt {
  unsafe target.run(UnsafeRawBufferPointer(start: bytes, count: byteCount))
  return 0
}
