import ArgumentParser

/// How long a command waits for a store, an archive or a series of backups that another process has open.
struct WaitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long to wait while another process has it open: 0 unless said, 300 for `archive add` and `archive tar import`.",
      valueName: "seconds"))
  var wait: Double?

  /// The seconds that commands wait without being told to which often run unattended: a reader may be in their way.
  static let unattendedSeconds = 300.0

  func validate() throws {
    if let wait, !(0...1e9).contains(wait) { throw ValidationError("--wait takes a number of seconds.") }
  }

  /// Puts together how to wait for something.
  ///
  /// - Parameters:
  ///   - name: What is opened, for messages.
  ///   - defaultSeconds: How long to wait if no option says.
  ///   - isQuiet: Whether to say nothing about waiting.
  /// - Returns: A value that calls closures which open it.
  func waiting(for name: String, defaultSeconds: Double = 0, isQuiet: Bool = false) -> Waiting {
    Waiting(name: name, seconds: wait ?? defaultSeconds, isQuiet: isQuiet)
  }
}
