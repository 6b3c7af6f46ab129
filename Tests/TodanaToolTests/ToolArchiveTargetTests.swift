import Foundation
import TestSupport
import Testing

/// `todana archive extract` with obstacles in the target or in the process: each loss is reported.
@Suite struct ToolArchiveTargetTests {
  private struct Report: Decodable {
    let fileCount: Int
    let directoryCount: Int
    let currentFileCount: Int
    let keptFileCount: Int
    let leftOutFileCount: Int
    let failureCount: Int
  }

  let made: ToolArchive

  init() throws { made = try ToolArchive() }

  @discardableResult
  private func shell(_ script: String, status: Int32 = 0) throws -> ToolRun {
    let run = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", "set -e\n" + script, "sh"])
    #expect(run.status == status, "\(script): \(run.messages)")
    return run
  }

  @Test(.enabled(if: geteuid() == 0, "makes a device and becomes another user: needs root"))
  func `a device that only root can make is left out, and is not counted as restored`() throws {
    try shell("mkdir src; echo text >src/file; mknod src/device c 1 3 || exit 0; mkdir room; chown -R 65534 room")
    guard made.exists("src/device") else { return }
    try made.add("src")
    try shell("chown -R 65534 archive")
    let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
    for more in ["--dry-run", "--json"] {
      let run = try made.run("extract", "--target", "room/out", "--json", more, runner: nobody)
      let report = try run.document(Report.self)
      #expect(report.fileCount == 1 && report.leftOutFileCount == 1)
      if more == "--json" { #expect(run.status == 1 && run.messages.contains("only root can create devices")) }
    }
    let run = try made.run("extract", "--target", "room/other", "--verbose", runner: nobody)
    #expect(run.lines.contains("left out  src/device"))
    #expect(run.lines.contains("1 device or socket left out."))
  }

  @Test func `paths that are not reached are not reported as missing`() throws {
    try made.makeTree()
    try made.add("src")
    try shell("mkdir out elsewhere; ln -s ../elsewhere out/src")
    for options in [["--target", "out"], ["--target", "new", "--exclude", "sub"]] {
      let run = try ToolRun(
        ["archive", "extract", "archive", "src/sub/b.txt", "src/none", "--key-file", "key"] + options,
        workingDirectory: made.directory.path)
      #expect(run.status == 1)
      #expect(!run.messages.contains("The snapshot does not contain “src/sub/b.txt”"), "\(run.messages)")
      #expect(
        run.messages.contains("The snapshot does not contain “src/none”") == (options[1] == "new"), "\(run.messages)")
      #expect(run.messages.contains("a symbolic link is in its place") == (options[1] == "out"))
    }
  }

  /// Limits the tool to very few descriptors, with a deeper tree.
  @Test func `few descriptors are enough for adding and extracting`() throws {
    try shell(
      """
      path=src; mkdir src
      for level in $(seq 60); do path=$path/dir$level; mkdir $path; for file in 1 2 3; do echo $level >$path/$file; done; done
      find src -exec touch -d @1000000000 {} +
      """)
    // Closes the descriptors inherited from the tests' process.
    let script = #"for f in $(seq 3 99); do eval "exec $f>&-"; done 2>/dev/null; ulimit -n 32; exec "$@""#
    let few = ["bash", "-c", script, "bash"]
    let added = try made.run("add", "src", runner: few)
    #expect(added.status == 0, "\(added.messages)")
    let run = try made.run("extract", "--target", "out", runner: few)
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.lines == ["Restored 180 files and 61 directories, 513 B, to out."])
    try shell("diff -r src out/src; [ $(find out/src -newermt @1000000000 | wc -l) -eq 0 ]")
    #expect(try made.run("extract", "--target", "out", "--overwrite", "always", runner: few).status == 0)
  }

  @Test func `a dry run fails as well if the target is a file or below one`() throws {
    try made.makeTree()
    try made.add("src")
    try made.write("a file", to: "file")
    for target in ["file", "file/out", "no/such/place"] {
      #expect(try made.run("extract", "--target", target, "--dry-run").status == 4, "\(target)")
      #expect(try made.run("extract", "--target", target).status == 4, "\(target)")
    }
    #expect(try made.text(of: "file") == "a file")
  }

  @Test func `a dry run says what a run would do with the existing files`() throws {
    try made.makeTree()
    try made.add("src")
    #expect(try made.run("extract", "--target", "out").status == 0)
    try shell("rm out/src/sub/b.txt; echo mine >out/src/a.txt; rm -r out/src/sub/deep")
    for overwrite in ["never", "always"] {
      let dry = try made.run("extract", "--target", "out", "--json", "--overwrite", overwrite, "--dry-run")
      let would = try dry.document(Report.self)
      try shell("rm -rf other; cp -a out other")
      let done = try made.run("extract", "--target", "other", "--json", "--overwrite", overwrite).document(Report.self)
      #expect(
        would.fileCount == done.fileCount && would.directoryCount == done.directoryCount
          && would.currentFileCount == done.currentFileCount)
      #expect(would.keptFileCount == done.keptFileCount && would.keptFileCount == (overwrite == "never" ? 1 : 0))
      #expect(!made.exists("out/src/sub/b.txt"))
    }
  }

  @Test func `files and directories in each other's place are reported, and the rest is restored`() throws {
    try made.makeTree()
    try made.add("src")
    try shell("mkdir -p out/src/a.txt; printf inside >out/src/a.txt/own; echo file >out/src/sub; ln -s /etc other")
    let run = try made.run("extract", "--target", "out", "--overwrite", "always")
    #expect(run.status == 1 && run.messages.contains("out/src/a.txt"))
    #expect(try made.text(of: "out/src/sub/b.txt") == "two two" && made.text(of: "out/src/a.txt/own") == "inside")
  }

  /// Moves a directory away during the extraction, which continues in the opened directory wherever it is.
  @Test(arguments: [("out", "elsewhere", "Cannot open “out”"), ("out/src", "out/elsewhere", "“out/src”")])
  func `a directory that is moved during an extraction is reported`(from: String, to: String, message: String) throws {
    // The names fill the pipe, so that the tool waits until the pipe is read.
    try shell("name=$(printf 'd%0200d' 0); mkdir src; for number in $(seq 500); do mkdir src/$name$number; done")
    try made.add("src")
    let run = try shell(
      """
      mkfifo lines
      "$1" archive extract archive --key-file key --target out --verbose >lines & process=$!
      exec 3<lines; head -c 1 <&3 >first
      mv \(from) \(to); mkdir \(from); cat <&3 >rest
      wait $process
      """, status: 1)
    #expect(run.messages.contains(message) && run.messages.contains("replaced by another file"), "\(run.messages)")
    #expect(try shell("ls \(from) | wc -l").text == "0\n")
  }

  @Test(.enabled(if: canMount, "mounts small disks: needs root with the right to mount"))
  func `times that the target's file system rounds are reported once`() throws {
    try shell("mkdir src; for number in 1 2 3; do echo >src/$number; done; find src -exec touch -d @1000000000.5 {} +")
    try made.add("src")
    let script = """
      truncate -s 4M image; mkfs.ext4 -q -I 128 image 2>/dev/null || exit 0; mkdir disk
      mount -o loop image disk || exit 0
      "$1" archive extract archive --key-file key --target disk/out; [ $? -eq 1 ] || exit 11
      [ "$(stat -c %Y disk/out/src/1)" -eq 1000000000 ] || exit 12
      """
    let run = try ToolRun(
      [], workingDirectory: made.directory.path, runner: ["unshare", "-m", "sh", "-c", script, "sh"])
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.lines.isEmpty || run.messages.components(separatedBy: "Cannot set the time of").count == 2)
  }

  private static let canMount =
    (try? ChildProcess(executable: "/usr/bin/unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).waitForExit())
    == 0

  @Test(.enabled(if: canMount, "mounts small disks: needs root with the right to mount"))
  func `a full disk and a read-only one end the extraction with an error`() throws {
    try shell("mkdir -p src/sub full read; head -c 3000000 /dev/urandom >src/sub/file; echo x >src/small")
    try made.add("src")
    let script = """
      tool=$1; key="--key-file key"
      mount -t tmpfs -o size=1m tmpfs full; mount -t tmpfs -o size=1m tmpfs read; mkdir -p read/src
      mount -o remount,ro read
      for overwrite in never always; do
        "$tool" archive extract archive $key --target full/out --overwrite $overwrite; [ $? -eq 4 ] || exit 11
        [ ! -e full/out/src/sub/file ] || exit 12
        "$tool" archive extract archive $key --target read --overwrite $overwrite; [ $? -eq 4 ] || exit 13
        "$tool" archive extract archive $key --target read/out --overwrite $overwrite; [ $? -eq 4 ] || exit 14
      done
      mount -o remount,size=20m full
      "$tool" archive extract archive $key --target full/out || exit 15
      cmp src/sub/file full/out/src/sub/file || exit 16
      [ -z "$(find full -name '.todana*')" ] || exit 17
      """
    let run = try ToolRun(
      [], workingDirectory: made.directory.path, runner: ["unshare", "-m", "sh", "-c", script, "sh"])
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.messages.contains("No space left on device") && run.messages.contains("Read-only file system"))
  }
}
