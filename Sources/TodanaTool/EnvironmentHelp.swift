/// The part of a command's help that lists the environment variables which the command reads.
///
/// The lines of the list are indented, since the manual pages join lines that are not.
enum EnvironmentHelp {
  /// The variables of all commands.
  static let all = text([archiveLine, passphrase, newPassphrase, targetPassphrase, terminal])
  /// The variables of commands that need no passphrase.
  static let progress = text([terminal])
  /// The variables of commands that open a store.
  static let store = text([passphrase])
  /// The variables of commands that open a store, and encrypt a copy with a passphrase of its own.
  static let storeAndNewPassphrase = text([passphrase, newPassphrase])
  /// The variables of commands that encrypt a store with a new passphrase.
  static let newStore = text([newPassphrase, formerPassphrase])
  /// The variables of commands that manage the passphrases of a store or archive.
  static let key = text([keyArchive, passphrase])
  /// The variables of commands that set a passphrase of a store or archive.
  static let keyAndNewPassphrase = text([keyArchive, passphrase, newPassphrase])
  /// The variables of commands that open an archive.
  static let archive = text([archiveLine, passphrase])
  /// The variables of commands that create an archive.
  static let newArchive = text([archiveLine, newPassphrase, formerPassphrase])
  /// The variables of commands that open two archives, each with its own passphrase.
  static let archiveAndTargetPassphrase = text([archiveLine, passphrase, targetPassphrase])
  /// The variable of commands that need no passphrase for an archive.
  static let archiveOnly = text([archiveLine])

  private static let archiveLine = "  TODANA_ARCHIVE                 archive; omit the <archive> argument"
  private static let keyArchive = "  TODANA_ARCHIVE                 for 'archive key': the archive; omit <store>"

  private static let terminal = "  TERM                           no progress is shown if it is empty or 'dumb'"

  private static let passphrase = """
      TODANA_PASSPHRASE              passphrase, if no option gives one
      TODANA_PASSPHRASE_FILE         file with the passphrase
      TODANA_PASSPHRASE_COMMAND      command that prints the passphrase
    """

  private static let newPassphrase = """
      TODANA_NEW_PASSPHRASE          new passphrase, if no option gives one
      TODANA_NEW_PASSPHRASE_FILE     file with the new passphrase
      TODANA_NEW_PASSPHRASE_COMMAND  command that prints it
    """

  private static let targetPassphrase = """
      TODANA_TARGET_PASSPHRASE       for 'archive copy': passphrase of the target;
                                     also TODANA_TARGET_PASSPHRASE_FILE, _COMMAND
    """

  private static let formerPassphrase = """
      TODANA_PASSPHRASE              new passphrase, if none of the above is set;
                                     also TODANA_PASSPHRASE_FILE, _COMMAND
    """

  private static func text(_ lines: [String]) -> String {
    "Environment variables:\n" + lines.joined(separator: "\n")
  }
}
