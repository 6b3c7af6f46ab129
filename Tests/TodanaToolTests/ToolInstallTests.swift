import Foundation
import TestSupport
import Testing

/// The tool's output for shells, and the files that `Scripts/install` installs.
@Suite struct ToolInstallTests {
  let directory: TemporaryDirectory

  // Creates the directory on disk, because it holds several copies of the tool.
  init() throws { directory = try TemporaryDirectory() }

  /// Runs shell lines in the directory and returns their output.
  private func shell(_ lines: String, status expected: Int32 = 0) throws -> [String] {
    let child = try ChildProcess(
      executable: "/bin/bash", ["-c", "cd \"$1\"; exec 2>&1; \(lines)", "bash", directory.path])
    let printed = child.remainingLines()
    let status = child.waitForExit() >> 8
    #expect(status == expected, "\(lines): \(status)\n\(printed.joined(separator: "\n"))")
    return printed
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: directory.path(name)))
  }

  private func hasProgram(_ name: String) throws -> Bool { try !shell("command -v \(name) || true").isEmpty }

  @Test func `bash completes commands, options, directories and files`() throws {
    let script = try ToolRun("--generate-completion-script", "bash")
    #expect(script.status == 0)
    try script.output.write(to: URL(filePath: directory.path("todana.bash")))
    #expect(try shell("bash -n todana.bash && source todana.bash && complete -p todana").count == 1)
    try write("", to: "secret-file")
    try FileManager.default.createDirectory(atPath: directory.path("some-archive"), withIntermediateDirectories: false)
    func completions(_ line: String) throws -> [String] {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      return try shell(
        """
        source todana.bash
        COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
        COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}
        _todana todana '\(words.last ?? "")' '\(words.dropLast().last ?? "")'
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      ).filter { !$0.isEmpty }
    }
    #expect(try completions("todana archive un") == ["unpack"])
    #expect(try completions("todana store comp") == ["compact"])
    #expect(try completions("todana archive pack --qu") == ["--quiet"])
    #expect(try completions("todana store info some") == ["some-archive"])
    #expect(try completions("todana store info sec") == [])
    #expect(try completions("todana archive pack some") == ["some-archive"])
    #expect(try completions("todana archive pack --key-file sec") == ["secret-file"])
  }

  @Test func `class names, groups and compression methods are completed`() throws {
    let store = try ToolStore()
    let words = [
      "---completion", "store", "list", "--", "positional@1", "4", "0", "todana", "store", "list", store.path,
    ]
    let run = try ToolRun(words + [""])
    #expect(run.status == 0 && run.lines.sorted() == ["IndexedSong", "Node", "Playlist", "Song"], "\(run.messages)")
    #expect(try ToolRun(words.dropLast() + ["nowhere", ""]).lines == [])
    let script = try ToolRun("--generate-completion-script", "bash").text
    #expect(script.contains("host,paths") && script.contains("zstd:19"))
  }

  @Test func `zsh and fish get scripts of their own`() throws {
    for (shell, start) in [("zsh", "#compdef todana\n"), ("fish", "function __todana_")] {
      let script = try ToolRun("--generate-completion-script", shell)
      #expect(script.status == 0 && script.text.hasPrefix(start) && script.text.contains("unpack"))
      try script.output.write(to: URL(filePath: directory.path("script")))
      if try hasProgram(shell) { _ = try self.shell("\(shell) -n script") }
    }
    #expect(try ToolRun("--generate-completion-script", "no-such-shell").status == 2)
  }

  private var installed: [String] {
    get throws {
      try FileManager.default.subpathsOfDirectory(atPath: directory.path("prefix")).filter { name in
        var isDirectory: ObjCBool = false
        _ = unsafe FileManager.default.fileExists(
          atPath: directory.path("prefix/\(name)"), isDirectory: &isDirectory)
        return !isDirectory.boolValue
      }.sorted()
    }
  }

  private func install(_ arguments: String, status: Int32 = 0) throws -> [String] {
    try shell(
      "'\(Checkout.directory.path)/Scripts/install' --prefix '\(directory.path("prefix"))' \(arguments)", status: status
    )
  }

  @Test func `installing puts each file in its place, and uninstalling removes only these files`() throws {
    // Replace the manual generator of swift-argument-parser, which tests do not build.
    try write(
      """
      #!/bin/sh
      [ "$2" = --multi-page ] && cd "$4" || exit 1
      printf '.Dt TODANA 1\\n.Sh NAME\\n.Nm todana\\n.Sh SYNOPSIS\\n.Nm\\n.Xr todana.archive 1 ,\\n.Xr todana.help 1 ,\\n.Xr todana.store 1\\n' > todana.1
      cat > todana.archive.pack.1 <<'END'
      .Dt TODANA.ARCHIVE.PACK 1
      .Sh NAME
      .Nm "todana archive pack" ,
      .Nm other
      .Nd "What it does."
      .Sh SYNOPSIS
      .Nm
      .Op Ar archive
      .Sh DESCRIPTION
      A file. Or two.

      Environment variables:
        TODANA_ARCHIVE                 archive
                                       or store

      Examples:
        todana archive pack A
      .Bl -tag
      .It Fl -quiet
      No progress.
      .Pp
      .It Fl -json
      A report.
      .El
      .Sh "EXIT STATUS"
      .Ex -std
      .Sh AUTHORS
      END
      printf '.Dt TODANA.HELP 1\\n' > todana.help.1
      """, to: "generate-manual")
    _ = try shell("chmod +x generate-manual; ln -s '\(ChildProcess.path(ofProduct: "todana"))' todana; mkdir prefix")
    let man = "share/man/man1"
    _ = try shell("mkdir -p prefix/\(man) && touch prefix/\(man)/todana-archive-former.1 prefix/\(man)/todanabell.1")
    let said = try install("--built '\(directory.path)'")
    #expect(said.contains { $0.hasPrefix("Installed ") && $0.contains("prefix/bin/todana") })
    let foreign = ["\(man)/todanabell.1"]
    let files = [
      "bin/todana", "share/bash-completion/completions/todana", "share/fish/vendor_completions.d/todana.fish",
      "\(man)/todana-archive-pack.1", "\(man)/todana.1", "share/zsh/site-functions/_todana",
    ]
    #expect(try installed == (files + foreign).sorted())
    #expect(try shell("prefix/bin/todana --version") == ToolRun("--version").lines)
    let title = ".ds doc-volume \"Todana Manual"
    var page = [".Dt TODANA-ARCHIVE-PACK 1", title, ".Sh NAME", ".Nm todana-archive-pack", ".Nd What it does"]
    page += [".Sh SYNOPSIS", ".Nm \"todana archive pack\"", ".Op Ar archive", ".Sh DESCRIPTION"]
    page += [
      "The command is also called", ".Ic todana archive other.", ".Pp", "A file. Or two.", ".Bl -tag", ".It Fl -quiet",
    ]
    page += ["No progress.", ".It Fl -json", "A report.", ".El", ".Sh ENVIRONMENT", ".Bl -tag -width 6n"]
    page += [".It Ev TODANA_ARCHIVE", "archive", "or store", ".El", ".Sh FILES"]
    let installedPage = try shell("cat prefix/\(man)/todana-archive-pack.1")
    #expect(installedPage.starts(with: page), "\(installedPage.joined(separator: "\n"))")
    let statuses = try #require(installedPage.firstIndex(of: ".Sh \"EXIT STATUS\""))
    #expect(installedPage[statuses...].starts(with: [".Sh \"EXIT STATUS\"", ".Bl -tag -width 3n -compact", ".It 0"]))
    #expect(installedPage.contains(".It 130"))
    let end = [".El", ".Sh EXAMPLES", ".Bd -literal", "todana archive pack A", ".Ed", ".Sh AUTHORS"]
    #expect(installedPage.suffix(6) == end)
    page = [
      ".Dt TODANA 1", title, ".Sh NAME", ".Nm todana", ".Sh SYNOPSIS", ".Nm \"todana\"", ".Xr todana-archive 1 ,",
    ]
    #expect(try shell("cat prefix/\(man)/todana.1") == page + [".Xr todana-store 1"])
    // Installs again, over existing files.
    _ = try install("--built '\(directory.path)'")
    #expect(try installed.count == files.count + 1)
    _ = try install("--uninstall")
    #expect(try installed == foreign)
    _ = try install("--uninstall")
  }

  @Test func `invalid options and missing files are reported`() throws {
    _ = try install("--no-such-option", status: 2)
    _ = try install("--built", status: 2)
    _ = try install("--built relative", status: 2)
    _ = try install("--prefix relative", status: 2)
    _ = try install("--built '\(directory.path)'", status: 3)
    #expect(try install("--help").first?.hasPrefix("usage: Scripts/install") == true)
    #expect(!FileManager.default.fileExists(atPath: directory.path("prefix")))
  }

  /// First builds the program that writes the manual pages.
  @Test(.enabled(if: LongTests.areEnabled))
  func `manual pages have the content of the tool's help, in valid form`() throws {
    let build = "swift build --package-path '\(Checkout.directory.path)' --scratch-path built --product generate-manual"
    _ = try shell("\(build) && ln -s '\(ChildProcess.path(ofProduct: "todana"))' todana")
    _ = try install("--built \"$(pwd)\"", status: 3)
    _ = try shell("cp built/debug/generate-manual .")
    _ = try install("--built \"$(pwd)\"")
    let page = try shell("cat prefix/share/man/man1/todana-archive-unpack.1").joined(separator: "\n")
    #expect(page.contains("\n.Nd Create an archive from a pack\n") && page.contains(".It Fl -quiet"))
    let pages = try installed.filter { $0.hasSuffix(".1") }
    #expect(pages.count > 50)
    if try hasProgram("lexgrog") {
      let name = try shell("lexgrog prefix/share/man/man1/todana-archive-unpack.1")
      #expect(name.first?.hasSuffix("\"todana-archive-unpack - Create an archive from a pack\"") == true, "\(name)")
    }
    if try hasProgram("groff") {
      for page in pages { #expect(try shell("groff -man -ww -z 'prefix/\(page)'") == [], "\(page)") }
    }
  }
}
