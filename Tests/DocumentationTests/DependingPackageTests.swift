// A user's package that depends on this checkout and has none of its settings.
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] == "1", "long: set TODANA_LONG_TESTS=1"))
struct DependingPackageTests {
  @Test func `the documents' programs build and run in a package that depends on this one`() throws {
    let directory = try TemporaryDirectory()
    try writePackage(to: directory)
    let build = try DocumentedProgram.run("swift build", in: directory.path)
    try #require(build.status == 0, "\(build.output)")
    for program in DocumentedProgram.executables {
      let scratch = try TemporaryDirectory()
      let executable = directory.path(".build/debug/\(program.name)")
      let (status, output) = try DocumentedProgram.run("'\(executable)'", in: scratch.path)
      #expect(status == 0)
      #expect(output == program.output)
    }
  }

  private func writePackage(to directory: TemporaryDirectory) throws {
    let package = DocumentedProgram.packageDirectory
    let targets = DocumentedProgram.executables.map { program in
      """
          .executableTarget(
            name: "\(program.name)",
            dependencies: [.product(name: "Todana", package: "\(package.lastPathComponent)")]),
      """
    }
    let manifest = """
      // swift-tools-version: 6.3
      import PackageDescription

      let package = Package(
        name: "user",
        dependencies: [.package(path: "\(package.path)")],
        targets: [
      \(targets.joined(separator: "\n"))
        ]
      )

      """
    try write(manifest, to: directory.path("Package.swift"))
    for program in DocumentedProgram.executables {
      try write(program.documentedSource(), to: directory.path("Sources/\(program.name)/main.swift"))
    }
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }
}
