import Foundation
import TestSupport
import Testing

/// Two commands at once, and interrupted commands.
@Suite struct ToolArchiveInterruptionTests {
  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
  }

  /// Starts an `add` that has the archive open and waits for more input.
  private func startAdding(_ text: String) throws -> ChildProcess {
    let adding = try made.start("add", "--stdin", "pipe")
    try made.waitUntilOpen(by: adding)
    adding.write(text)
    return adding
  }

  @Test func `a second add waits, or reports the process that uses the archive`() throws {
    let adding = try startAdding("from a pipe")
    let refused = try made.run("add", "src", "--wait", "0")
    #expect(refused.status == 3 && refused.messages.contains("\(adding.processID)"))
    let list = try made.run("list")
    #expect(list.status == 3 && list.messages.contains("--wait SECONDS"))
    let waiting = try made.start("add", made.directory.path("src"))
    Thread.sleep(forTimeInterval: 0.2)
    adding.endInput()
    #expect(adding.waitForExit() == 0)
    #expect(waiting.waitForExit() == 0)
    #expect(try made.snapshots().map(\.fileCount) == [1, 5])
    #expect(try made.run("cat", "--snapshot", made.snapshots()[0].id, "pipe").text == "from a pipe")
  }

  @Test func `a waiting add says so, and ends at a signal`() throws {
    let adding = try startAdding("from a pipe")
    let messages = made.directory.path("messages")
    let waiting = try ChildProcess(
      executable: "/bin/sh",
      [
        "-c", "exec \"$@\" 2>\"$0\"", messages, ChildProcess.path(ofProduct: "todana"), "archive", "add", made.path,
        made.directory.path("src"), "--key-file", made.keyFile,
      ])
    let end = ContinuousClock.now + .seconds(60)
    while (FileManager.default.contents(atPath: messages) ?? Data()).isEmpty, ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: 0.02)
    }
    kill(pid_t(waiting.processID), SIGINT)
    #expect(waiting.waitForExit() >> 8 == 130)
    let holder = "waiting for \(made.path), in use by process \(adding.processID)"
    #expect(try made.text(of: "messages") == "todana: \(holder)\ntodana: interrupted\n")
    let quiet = try made.run("add", "src", "--quiet", "--wait", "0.1")
    #expect(quiet.status == 3 && !quiet.messages.contains("waiting for"))
    adding.endInput()
    #expect(adding.waitForExit() == 0)
  }

  @Test func `a killed add leaves no lock and no unfinished snapshot`() throws {
    let first = try made.add("src")
    // Write several chunks; the first commit comes after two seconds.
    let part = String((0..<400_000).map { Character(UnicodeScalar(UInt8(33 + $0 % 89))) })
    let adding = try startAdding("")
    for _ in 0..<12 { adding.write(part) }
    Thread.sleep(forTimeInterval: 2.3)
    for _ in 0..<6 { adding.write(part) }
    adding.kill()
    #expect(try made.snapshots().map(\.id) == [first.id])
    #expect(try made.run("extract", "--target", "out").status == 0)
    let again = try made.run("add", "src", "--json")
    #expect(again.status == 0)
    #expect(try again.document(ToolArchive.Added.self).unchangedFileCount == 5)
    #expect(try ToolRun("store", "verify", made.path, "--key-file", made.keyFile).status == 0)
    let leftovers = try FileManager.default.contentsOfDirectory(atPath: made.directory.path).sorted()
    #expect(leftovers == ["archive", "key", "out", "src"])
  }

  @Test func `a signal ends an add with status 130, and loses nothing`() throws {
    let first = try made.add("src")
    let adding = try startAdding("from a pipe")
    kill(pid_t(adding.processID), SIGINT)
    #expect(adding.waitForExit() >> 8 == 130)
    #expect(try made.snapshots().map(\.id) == [first.id])
    #expect(try made.run("add", "src").status == 0)
  }

  /// Kills a command after increasing times, each time in the same state of the archive.
  @Test(arguments: ["compact", "rewrite", "copy"])
  func `a command that is killed while it changes archives leaves them whole`(_ command: String) throws {
    try made.write(String(repeating: "kept", count: 100_000), to: "src/kept")
    let kept = try made.add("src")
    try Data((0..<6_000_000).map { _ in UInt8.random(in: 0...255) })
      .write(to: URL(filePath: made.directory.path("large")))
    let removed = try made.add("large")
    if command == "compact" { #expect(try made.run("remove", removed.id).status == 0) }
    let before = try made.snapshots().count
    let (archive, other) = (made.path, made.directory.path("other"))
    try FileManager.default.copyItem(atPath: archive, toPath: made.directory.path("saved"))
    #expect(try ToolRun("archive", "init", other, "--key-file", made.keyFile).status == 0)
    try FileManager.default.copyItem(atPath: other, toPath: made.directory.path("empty"))
    for step in 1...(ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] == nil ? 3 : 20) {
      for (saved, path) in [("saved", archive), ("empty", other)] {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: made.directory.path(saved), toPath: path)
      }
      let running =
        switch command {
        case "compact": try made.start("compact", "--quiet")
        case "rewrite": try made.start("rewrite", "--exclude", "large", "--quiet")
        default: try made.start("copy", other, "--quiet")
        }
      Thread.sleep(forTimeInterval: 0.03 * Double(step))
      running.kill()
      _ = running.waitForExit()
      for path in [archive, other] {
        let verified = try ToolRun("archive", "verify", path, "--key-file", made.keyFile)
        #expect(verified.status == 0, "step \(step): \(verified.text)")
      }
      #expect(try made.snapshots().count == before)
      let text = try made.run("cat", "src/kept", "--snapshot", try made.snapshots()[0].id).text
      #expect(text.utf8.count == 400_000, "step \(step)")
      // Compaction then runs to its end.
      guard command == "compact" else { continue }
      #expect(try made.run("compact", "--quiet").status == 0)
      let names = try FileManager.default.contentsOfDirectory(atPath: archive)
      let sizes = try names.map { name in
        (try FileManager.default.attributesOfItem(atPath: archive + "/" + name)[.size] as? NSNumber)?.intValue ?? 0
      }
      #expect(sizes.reduce(0, +) < 1_000_000, "step \(step)")
    }
    #expect(kept.fileCount == 6)
  }

  private static let canMount =
    (try? ChildProcess(executable: "/usr/bin/unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).waitForExit())
    == 0

  @Test(.enabled(if: canMount, "mounts a small disk: needs root with the right to mount"))
  func `a full disk of the archive or of the target is an error, and loses nothing`() throws {
    let script = """
      mkdir room; mount -t tmpfs -o size=40m tmpfs room || exit 10
      head -c 3000000 /dev/urandom >small; head -c 60000000 /dev/urandom >large
      key="--key-file key"; tool=$1
      "$tool" archive init room/archive $key || exit 11
      "$tool" archive add room/archive small $key --quiet || exit 12
      "$tool" archive add room/archive large $key --quiet 2>error; [ $? -eq 4 ] || exit 13
      cat error >&2; grep -q "8192 KiB are reserved for .* Free at least [0-9]* KiB more" error || exit 20
      [ "$(du -sm room/archive | cut -f 1)" -ge 15 ] || exit 21
      "$tool" archive compact room/archive $key || exit 22
      [ "$(du -sm room/archive | cut -f 1)" -le 6 ] || exit 23
      "$tool" archive verify room/archive $key || exit 14
      "$tool" archive cat room/archive small --key-file key | cmp - small || exit 15
      # Until one is killed in the middle, on a busy machine it may have ended before, and leaves no room in its log: with
      # that, compacting succeeds on a full disk.
      for try in 1 2 3 4 5 6 7 8 9 10; do
        "$tool" archive add room/archive large $key --quiet 2>/dev/null & adding=$!
        while [ "$(du -sm room/archive | cut -f 1)" -lt 10 ] && kill -0 $adding; do sleep 0.02; done
        kill -9 $adding; wait $adding
        head -c 50000000 /dev/zero >room/filler 2>/dev/null
        "$tool" archive compact room/archive $key 2>error; status=$?; cat error >&2
        [ $status -eq 0 ] || break
        rm room/filler; "$tool" archive compact room/archive $key || exit 28
      done
      [ $status -eq 3 ] && grep -q "free a few MB, which opening needs" error ||
        { [ $status -eq 4 ] && grep -q "free [0-9]* KiB more" error; } || exit 24
      "$tool" archive cat room/archive small --key-file key | cmp - small || exit 26
      rm room/filler; "$tool" archive compact room/archive $key || exit 27
      mount -o remount,size=90m room || exit 16
      "$tool" archive add room/archive large $key --quiet || exit 17
      "$tool" archive extract room/archive --target room/out $key --quiet; [ $? -eq 4 ] || exit 18
      [ ! -e room/out/large ] && [ "$(ls -A room/out | wc -l)" -eq 0 ] || exit 19
      """
    let run = try ToolRun(
      [], workingDirectory: made.directory.path, runner: ["unshare", "-m", "sh", "-c", script, "sh"])
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.messages.contains("No space left on device"))
  }

  @Test(.enabled(if: canMount, "mounts a small disk: needs root with the right to mount"))
  func `an archive on a nearly full disk is compacted in place`() throws {
    // Only a few MB of the disk are free, and four of seven files of 8 MB are removed. There is no room for a copy of
    // the rest.
    let script = """
      mkdir room; mount -t tmpfs -o size=75m tmpfs room || exit 10
      key="--key-file key"; tool=$1
      "$tool" archive init room/archive $key || exit 11
      for n in 1 2 3 4 5 6 7; do
        head -c 8000000 /dev/urandom >$n
        "$tool" archive add room/archive $n $key --tag t$n --quiet || exit 12
      done
      head -c 100000000 /dev/zero >room/filler 2>/dev/null; truncate -s -3500000 room/filler
      for n in 1 3 5 6; do
        id=$("$tool" archive snapshots room/archive $key --tag t$n --json | grep -o '"snapshot" *: *"[0-9a-f]*"' | grep -o '[0-9a-f]\\{32\\}')
        "$tool" archive remove room/archive $id $key || exit 13
      done
      head -c 100000000 /dev/zero >room/rest 2>/dev/null; truncate -s -100000 room/rest
      "$tool" archive compact room/archive $key 2>error; [ $? -eq 4 ] || exit 20
      grep -q "free [0-9]* KiB more" error || { cat error >&2; exit 21; }
      rm room/rest
      "$tool" archive compact room/archive $key; [ $? -eq 4 ] || exit 14
      truncate -s -5000000 room/filler
      "$tool" archive compact room/archive $key || exit 15
      [ "$(du -sm room/archive | cut -f 1)" -le 26 ] || exit 16
      "$tool" archive verify room/archive $key || exit 17
      for n in 2 4 7; do "$tool" archive cat room/archive $n --snapshot $("$tool" archive snapshots room/archive $key \
        --tag t$n --json | grep -o '"snapshot" *: *"[0-9a-f]*"' | grep -o '[0-9a-f]\\{32\\}') $key | cmp - $n || exit 18; done
      "$tool" archive add room/archive 1 3 $key --quiet || exit 19
      """
    let run = try ToolRun(
      [], workingDirectory: made.directory.path, runner: ["unshare", "-m", "sh", "-c", script, "sh"])
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.messages.contains("of disk space: free "))
  }
}
