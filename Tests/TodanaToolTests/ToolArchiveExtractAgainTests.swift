import Foundation
import TestSupport
import Testing

/// `todana archive extract` into a target after an interrupted run.
@Suite struct ToolArchiveExtractAgainTests {
  let made: ToolArchive

  init() throws { made = try ToolArchive() }

  /// Makes deeply nested directories, with metadata that new directories never have.
  ///
  /// The names are long, so that the output of `--verbose` does not fit into a pipe. Unless the output is read, the
  /// tool cannot finish.
  private func makeTree() throws {
    let script = """
      name=$(printf 'd%0200d' 0); umask 022; mkdir src
      for tree in 1 2 3 4 5 6 7 8; do
        path=src/$tree; mkdir $path
        for level in 0 1 2 3 4 5 6 7 8 9 10 11; do
          path=$path/$name$level; mkdir $path; echo $level >$path/one; echo two >$path/two; done; done
      if [ "$(id -u)" -eq 0 ]; then chown -R 1234:1235 src; fi
      find src -depth -type d -exec chmod 2750 {} +; find src -depth -exec touch -h -d @978307200.5 {} +
      """
    let run = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", script])
    #expect(run.status == 0, "\(run.messages)")
  }

  /// Returns the kind, permissions, owner, time and name of all files in a directory.
  private func listing(_ name: String) throws -> String {
    try find(name, #"%y %m %U:%G %T@ %P\n"#)
  }

  private func find(_ name: String, _ format: String) throws -> String {
    try ToolRun(
      [], workingDirectory: made.directory.path,
      runner: ["sh", "-c", #"find "$0" -printf "$1" | sort"#, name, format]
    ).text
  }

  @Test(arguments: ["KILL", "INT"])
  func `the next run finishes an interrupted extraction`(_ signal: String) throws {
    try makeTree()
    try made.add("src")
    // The signal comes while the tool waits in a write. A shell makes its background processes ignore INT, hence
    // `--default-signal`. After INT the rest is read slowly: the tool checks for signals several times a second, and
    // has seconds of output left.
    let script = """
      tool=$1; mkfifo lines
      env --default-signal=INT "$tool" archive extract archive --key-file key --target out --verbose >lines 2>messages & process=$!
      exec 3<lines; head -c 1 <&3 >first
      case $0 in
        KILL) kill -KILL $process ;;
        *) kill -INT $process; while [ -n "$(head -c 10000 <&3)" ]; do sleep 0.1; done ;;
      esac
      wait $process
      """
    let interrupted = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", script, signal])
    #expect(interrupted.status == ["KILL": 137, "INT": 130][signal], "\(interrupted.messages)")
    #expect(try find("out", #"%P\n"#).contains(".todana-extract-unfinished"))

    let again = try made.run("extract", "--target", "out")
    #expect(again.status == 0, "\(again.messages)")
    #expect(!again.text.contains("kept"))
    #expect(try listing("out/src") == listing("src"))

    // A third run changes nothing.
    let before = try find("out", #"%p %i %C@\n"#)
    let third = try made.run("extract", "--target", "out")
    #expect(third.lines.first == "Restored 0 files and 0 directories, 0 B, to out.")
    #expect(try find("out", #"%p %i %C@\n"#) == before)
  }

  @Test func `directories that keep their metadata are counted, and updated on request`() throws {
    try makeTree()
    try made.add("src")
    try FileManager.default.createDirectory(atPath: made.directory.path("out/src/1"), withIntermediateDirectories: true)
    struct Report: Decodable {
      let directoryCount: Int
      let keptDirectoryCount: Int
      let updatedDirectoryCount: Int
    }
    let dry = try made.run("extract", "--target", "out", "--dry-run", "--json").document(Report.self)
    #expect(dry.directoryCount == 8 * 13 + 1 - 2 && dry.keptDirectoryCount == 2 && dry.updatedDirectoryCount == 0)
    let kept = try made.run("extract", "--target", "out")
    #expect(
      kept.lines.last
        == "2 existing directories kept differing metadata: pass --overwrite metadata to restore it.")
    #expect(try listing("out/src") != listing("src"))
    let set = try made.run("extract", "--target", "out", "--overwrite", "metadata", "--json").document(Report.self)
    #expect(set.directoryCount == 0 && set.keptDirectoryCount == 0 && set.updatedDirectoryCount == 2)
    #expect(try listing("out/src") == listing("src"))
  }

  /// Extracts one file: metadata of the directories above it was not requested.
  @Test func `restoring one file does not change existing directories above it`() throws {
    try made.makeTree()
    try made.add("src")
    _ = try ToolRun(
      [], workingDirectory: made.directory.path,
      runner: ["sh", "-c", "mkdir -p out/src/sub; chmod 711 out/src out/src/sub; touch -d @1 out/src"])
    let run = try made.run("extract", "src/sub/b.txt", "--target", "out", "--overwrite", "always")
    #expect(run.lines == ["Restored 1 file and 0 directories, 7 B, to out."])
    #expect(try find("out/src", #"%m %P\n"#) == "644 sub/b.txt\n711 \n711 sub\n")
    #expect(try find("out/src", #"%d %T@\n"#).hasPrefix("0 1.0000000000\n"))
  }

  /// Adds a directory whose extraction was interrupted.
  ///
  /// It must not be mistaken for a complete directory, and its marker must not be added as one of its files.
  @Test func `adding an unfinished directory is reported, and its mark is left out`() throws {
    try made.makeTree()
    try made.write("", to: "src/sub/.todana-extract-unfinished")
    try made.write("half", to: "src/sub/.todana-extract-0123456789abcdef-1f")
    let run = try made.run("add", "src")
    #expect(run.status == 1)
    #expect(run.messages.contains("src/sub/.todana-extract-unfinished”: an extraction was interrupted here"))
    #expect(run.messages.contains(".todana-extract-0123456789abcdef-1f"))
    #expect(try made.run("list", "-r").lines == ToolArchive.treePaths)
  }
}
