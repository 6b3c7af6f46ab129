import ArgumentParser

/// The converter of the files of older libraries.
struct TodanaConvert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todana-convert",
    abstract: "Convert the files of NanoStore, NTJsonStore and BNRPersistence to Todana stores.",
    discussion: """
      The source is never changed. Close it in its own program first. With --list, a command only shows the content of the source. \
      Objects that cannot be converted are listed on the standard error, and the others are converted.

      Exit status:
        0    success
        1    completed, but some objects could not be converted; they are listed
        2    wrong usage, for example an unknown option
        3    the source or the store cannot be opened, or a passphrase is wrong
        4    failed; the store may have part of the objects

      Examples:
        todana-convert nanostore --list Contacts.sqlite
        todana-convert ntjsonstore NTJsonStore.db Documents.todana
        todana-convert bnrpersistence Music Music.todana --class 'Song: title string, seconds uint32'
      """,
    version: "0.1.0",
    subcommands: [NanoStoreCommand.self, NTJsonStoreCommand.self, BNRPersistenceCommand.self])
}
